package io.kvgate.server.body;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of a JSON text, as its first bytes show it: by a byte order mark, else by where the zero bytes are, since JSON begins
 * with ASCII. Engines read bodies in the same way.
 *
 * @param charset null for UTF-8
 * @param markBytes length of the byte order mark
 */
record Encoding(@Nullable Charset charset, int markBytes) {
    private static final Charset UTF_32BE = Charset.forName("UTF-32BE");
    private static final Charset UTF_32LE = Charset.forName("UTF-32LE");
    private static final Encoding UTF_8 = new Encoding(null, 0);
    private static final Encoding UTF_8_MARKED = new Encoding(null, 3);

    static Encoding of(ByteBuf body) {
        int readable = body.readableBytes();
        int start = body.readerIndex();
        if (readable >= 4) {
            int quad = body.getInt(start);
            if (allAscii(quad)) {
                return UTF_8;
            }
            Encoding found = ofQuad(quad);
            return found == null ? ofPair(quad >>> 16) : found;
        }
        if (readable == 3 && body.getMedium(start) << 8 == 0xEFBBBF00) {
            return UTF_8_MARKED;
        }
        return readable >= 2 ? ofPair(body.getUnsignedShort(start)) : UTF_8;
    }

    private static boolean allAscii(int quad) {
        return ((quad - 0x01010101) & 0x80808080) == 0 && (quad & 0x80808080) == 0;
    }

    private static @Nullable Encoding ofQuad(int quad) {
        if (quad == 0x0000FEFF) {
            return new Encoding(UTF_32BE, 4);
        }
        if (quad == 0xFFFE0000) {
            return new Encoding(UTF_32LE, 4);
        }
        if ((quad & 0xFFFFFF00) == 0xEFBBBF00) {
            return UTF_8_MARKED;
        }
        if (quad >>> 8 == 0) {
            return new Encoding(UTF_32BE, 0);
        }
        return (quad & 0x00FFFFFF) == 0 ? new Encoding(UTF_32LE, 0) : null;
    }

    private static Encoding ofPair(int pair) {
        if (pair == 0xFEFF) {
            return new Encoding(UTF_16BE, 2);
        }
        if (pair == 0xFFFE) {
            return new Encoding(UTF_16LE, 2);
        }
        if ((pair & 0xFF00) == 0) {
            return new Encoding(UTF_16BE, 0);
        }
        return (pair & 0x00FF) == 0 ? new Encoding(UTF_16LE, 0) : UTF_8;
    }
}
