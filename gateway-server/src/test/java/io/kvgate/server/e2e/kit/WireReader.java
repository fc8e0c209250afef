package io.kvgate.server.e2e.kit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads HTTP messages from a socket, byte for byte.
 *
 * <p>Threading: one thread at a time.
 */
final class WireReader {
    private static final int MAX_HEAD_BYTES = 1 << 20;

    private final InputStream in;
    private final byte[] buffer = new byte[1 << 16];
    private int position;
    private int limit;

    WireReader(InputStream in) {
        this.in = in;
    }

    /** The next byte, left in place; −1 at the end of the stream. Blocks. */
    int peek() throws IOException {
        if (position == limit) {
            int read = in.read(buffer, 0, buffer.length);
            if (read <= 0) {
                return -1;
            }
            position = 0;
            limit = read;
        }
        return buffer[position] & 0xff;
    }

    int read() throws IOException {
        int next = peek();
        if (next >= 0) {
            position++;
        }
        return next;
    }

    /** Reads what is there, at most {@code max} bytes, at least one; null at the end of the stream. */
    byte @Nullable [] readSome(long max) throws IOException {
        if (peek() < 0) {
            return null;
        }
        int count = (int) Math.min(max, limit - position);
        byte[] piece = Arrays.copyOfRange(buffer, position, position + count);
        position += count;
        return piece;
    }

    /** A head with its closing empty line, as ISO-8859-1; null if the stream ended before its first byte. */
    @Nullable
    String readHead() throws IOException {
        StringBuilder head = new StringBuilder(512);
        while (true) {
            int next = read();
            if (next < 0) {
                if (head.length() == 0) {
                    return null;
                }
                throw new MalformedMessageException("the stream ended within a head: " + head);
            }
            head.append((char) next);
            int length = head.length();
            if (next == '\n' && length >= 4 && head.charAt(length - 3) == '\n') {
                return head.toString();
            }
            if (length > MAX_HEAD_BYTES) {
                throw new MalformedMessageException("head over " + MAX_HEAD_BYTES + " bytes");
            }
        }
    }

    /** A line without its CRLF; null if the stream ended before the line did. */
    @Nullable
    String readLine() throws IOException {
        StringBuilder line = new StringBuilder(16);
        while (true) {
            int next = read();
            if (next < 0) {
                return null;
            }
            if (next == '\n') {
                if (line.length() == 0 || line.charAt(line.length() - 1) != '\r') {
                    throw new MalformedMessageException("line without CR: " + line);
                }
                line.setLength(line.length() - 1);
                return line.toString();
            }
            line.append((char) next);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
