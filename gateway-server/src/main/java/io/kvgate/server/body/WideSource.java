package io.kvgate.server.body;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * A body in UTF-16 or UTF-32 as UTF-8. Ill-formed input is refused.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class WideSource implements BodySource {
    private static final int CHUNK = 4_096;

    private final SliceSource wide;
    private final CharsetDecoder decoder;
    private final CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    private final ByteBuffer in = ByteBuffer.allocate(CHUNK);
    private final CharBuffer chars = CharBuffer.allocate(CHUNK);
    private final ByteBuffer out = ByteBuffer.allocate(4 * CHUNK);

    WideSource(SliceSource wide, Charset charset) {
        this.wide = wide;
        decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        restart();
    }

    @Override
    public void restart() {
        wide.restart();
        decoder.reset();
        in.clear().flip();
        out.clear().flip();
    }

    @Override
    public int read(byte[] target, int from, int length) {
        while (!out.hasRemaining()) {
            if (!convert()) {
                return 0;
            }
        }
        int count = Math.min(length, out.remaining());
        out.get(target, from, count);
        return count;
    }

    /**
     * Fills {@link #out}.
     *
     * @return false at the end
     */
    private boolean convert() {
        in.compact();
        in.position(in.position() + wide.read(in.array(), in.position(), in.remaining()));
        in.flip();
        if (!in.hasRemaining()) {
            return false;
        }
        chars.clear();
        CoderResult result = decoder.decode(in, chars, wide.exhausted());
        // A decoder of these encodings never splits a pair of surrogates between two calls.
        chars.flip();
        if (result.isError() || !chars.hasRemaining()) {
            throw new GatewayException(ErrorCode.INVALID_JSON, "body: ill-formed " + decoder.charset());
        }
        out.clear();
        encoder.reset();
        encoder.encode(chars, out, true);
        out.flip();
        return true;
    }

    @Override
    public boolean exhausted() {
        return !out.hasRemaining() && !in.hasRemaining() && wide.exhausted();
    }
}
