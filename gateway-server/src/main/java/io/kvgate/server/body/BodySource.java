package io.kvgate.server.body;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;

/**
 * A body as a run of UTF-8 bytes that can be read again from its start. Whether they are well-formed is for the reader to check.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
interface BodySource {
    /** Back to the first byte. */
    void restart();

    /**
     * Reads up to that many bytes.
     *
     * @return how many; 0 at the end, and only there
     */
    int read(byte[] target, int from, int length);

    /** Whether the end is known to be reached. */
    boolean exhausted();

    /** The body in the encoding that its first bytes show, behind its byte order mark if it has one. Moves no index of the body. */
    static BodySource of(ByteBuf body) {
        Encoding encoding = Encoding.of(body);
        Charset wide = encoding.charset();
        return wide == null
                ? new SliceSource(body, encoding.markBytes())
                : new WideSource(new SliceSource(body, encoding.markBytes()), wide);
    }
}
