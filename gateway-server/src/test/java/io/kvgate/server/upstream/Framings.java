package io.kvgate.server.upstream;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Body framings for tests of other packages, and a plain reading of the chunked coding to compare with. */
public final class Framings {
    /**
     * What a plain reader makes of bytes in the chunked coding.
     *
     * @param payload what the chunks hold, an unfinished one included
     * @param complete whether the last chunk and the end of the trailers were there
     * @param consumed bytes up to that end; all of them if it was not there
     * @param wellFormed false if a byte breaks the coding
     */
    @SuppressWarnings("ArrayRecordComponent") // read by the test that made it, and nobody else
    public record Dechunked(byte[] payload, boolean complete, int consumed, boolean wellFormed) {
        public String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    private Framings() {}

    public static BodyFraming chunked() {
        return BodyFraming.chunked();
    }

    public static BodyFraming length(long bytes) {
        return BodyFraming.length(bytes);
    }

    public static BodyFraming untilClose() {
        return BodyFraming.untilClose();
    }

    public static BodyFraming none() {
        return BodyFraming.none();
    }

    /** Advances a framing over a whole buffer, telling nobody of its payload. */
    public static int advance(BodyFraming framing, ByteBuf bytes) throws BodyFraming.FramingException {
        return framing.advance(bytes, (buf, from, length) -> {});
    }

    /** Reads line by line from an array; the simplest thing that can be right. */
    public static Dechunked dechunk(byte[] bytes) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        int at = 0;
        while (true) {
            int end = lineEnd(bytes, at);
            if (end < 0) {
                return new Dechunked(payload.toByteArray(), false, bytes.length, true);
            }
            String line = new String(bytes, at, end - at, StandardCharsets.ISO_8859_1);
            String size = line.split("[; \t]", 2)[0];
            if (!size.toLowerCase(Locale.ROOT).matches("[0-9a-f]{1,15}")) {
                return new Dechunked(payload.toByteArray(), false, at, false);
            }
            at = end + 2;
            long length = Long.parseLong(size, 16);
            if (length == 0) {
                return trailers(bytes, at, payload.toByteArray());
            }
            int there = (int) Math.min(length, bytes.length - at);
            payload.write(bytes, at, there);
            at += there;
            if (there < length || bytes.length - at < 2) {
                return new Dechunked(payload.toByteArray(), false, bytes.length, true);
            }
            if (bytes[at] != '\r' || bytes[at + 1] != '\n') {
                return new Dechunked(payload.toByteArray(), false, at, false);
            }
            at += 2;
        }
    }

    private static Dechunked trailers(byte[] bytes, int from, byte[] payload) {
        int at = from;
        while (true) {
            int end = lineEnd(bytes, at);
            if (end < 0) {
                return new Dechunked(payload, false, bytes.length, true);
            }
            boolean last = end == at;
            at = end + 2;
            if (last) {
                return new Dechunked(payload, true, at, true);
            }
        }
    }

    private static int lineEnd(byte[] bytes, int from) {
        for (int i = from; i + 1 < bytes.length; i++) {
            if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
                return i;
            }
        }
        return -1;
    }
}
