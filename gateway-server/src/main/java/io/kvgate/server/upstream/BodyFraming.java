package io.kvgate.server.upstream;

import io.netty.buffer.ByteBuf;

/**
 * Follows a response body's framing (RFC 9112, sections 6 and 7) without changing a byte: says where the body ends, which bytes
 * are payload, and what is missing when it breaks off.
 *
 * <p>Threading: confined to one event loop.
 */
public final class BodyFraming {
    /** How the end of a body is told. */
    public enum Kind {
        /** No body: HEAD, 204, 304. */
        NONE,
        LENGTH,
        CHUNKED,
        /** The connection's end is the body's end. */
        UNTIL_CLOSE
    }

    /** Receives the payload ranges inside the bytes given to {@link #advance}. */
    @FunctionalInterface
    public interface PayloadSink {
        void payload(ByteBuf buf, int from, int length);
    }

    /** Bytes that break the framing. */
    public static final class FramingException extends Exception {
        private final int goodBytes;

        FramingException(String message) {
            this(message, 0);
        }

        private FramingException(String message, int goodBytes) {
            super(message, null, false, false);
            this.goodBytes = goodBytes;
        }

        /** How many of the bytes given stand before the fault and belong to the body. */
        int goodBytes() {
            return goodBytes;
        }
    }

    private enum State {
        SIZE,
        EXTENSION,
        SIZE_LF,
        DATA,
        DATA_CR,
        DATA_LF,
        TRAILER_START,
        TRAILER,
        TRAILER_LF,
        END_LF,
        ENDED
    }

    private static final int MAX_SIZE_DIGITS = 15;
    private static final int MAX_EXTENSION_BYTES = 4_096;
    private static final int MAX_TRAILER_BYTES = 16_384;

    private final Kind kind;
    private State state;
    /** Bytes left of a LENGTH body, or of the chunk in DATA. */
    private long remaining;

    private int digits;
    private int lineBytes;

    private BodyFraming(Kind kind, long length) {
        this.kind = kind;
        remaining = length;
        state = kind == Kind.CHUNKED ? State.SIZE : State.DATA;
        if (kind == Kind.NONE || (kind == Kind.LENGTH && length == 0)) {
            state = State.ENDED;
        }
    }

    static BodyFraming none() {
        return new BodyFraming(Kind.NONE, 0);
    }

    static BodyFraming length(long bytes) {
        return new BodyFraming(Kind.LENGTH, bytes);
    }

    static BodyFraming chunked() {
        return new BodyFraming(Kind.CHUNKED, 0);
    }

    static BodyFraming untilClose() {
        return new BodyFraming(Kind.UNTIL_CLOSE, Long.MAX_VALUE);
    }

    public Kind kind() {
        return kind;
    }

    public boolean ended() {
        return state == State.ENDED;
    }

    /** True between two chunks of a chunked body that has not ended: a further chunk may be put in here. */
    public boolean betweenChunks() {
        return kind == Kind.CHUNKED && state == State.SIZE && digits == 0;
    }

    /** Payload bytes still due of the chunk or the length that was announced; 0 where nothing was. */
    public long missingBytes() {
        return state == State.DATA && kind != Kind.UNTIL_CLOSE ? remaining : 0;
    }

    /** True inside a chunk's data: {@link #missingBytes} more bytes and a line end would complete it. */
    public boolean insideChunkData() {
        return kind == Kind.CHUNKED && state == State.DATA;
    }

    /**
     * Goes over the readable bytes, without moving the reader index, until they or the body end.
     *
     * @return how many of them belong to this body
     */
    public int advance(ByteBuf buf, PayloadSink sink) throws FramingException {
        int from = buf.readerIndex();
        int to = buf.writerIndex();
        int at = from;
        try {
            while (at < to && state != State.ENDED) {
                at = state == State.DATA ? data(buf, at, to, sink) : framing(buf.getByte(at), at);
            }
        } catch (FramingException e) {
            throw new FramingException(String.valueOf(e.getMessage()), at - from);
        }
        return at - from;
    }

    private int data(ByteBuf buf, int at, int to, PayloadSink sink) {
        int length = (int) Math.min(remaining, to - at);
        if (length > 0) {
            sink.payload(buf, at, length);
        }
        if (kind != Kind.UNTIL_CLOSE) {
            remaining -= length;
            if (remaining == 0) {
                state = kind == Kind.LENGTH ? State.ENDED : State.DATA_CR;
            }
        }
        return at + length;
    }

    private int framing(byte b, int at) throws FramingException {
        switch (state) {
            case SIZE -> size(b);
            case EXTENSION -> extension(b);
            case SIZE_LF -> {
                expect(b, '\n');
                state = remaining == 0 ? State.TRAILER_START : State.DATA;
                digits = 0;
                lineBytes = 0;
            }
            case DATA_CR -> {
                expect(b, '\r');
                state = State.DATA_LF;
            }
            case DATA_LF -> {
                expect(b, '\n');
                state = State.SIZE;
            }
            case TRAILER_START -> {
                state = b == '\r' ? State.END_LF : State.TRAILER;
                trailer(b);
            }
            case TRAILER -> {
                trailer(b);
                if (b == '\r') {
                    state = State.TRAILER_LF;
                }
            }
            case TRAILER_LF -> {
                expect(b, '\n');
                state = State.TRAILER_START;
            }
            case END_LF -> {
                expect(b, '\n');
                state = State.ENDED;
            }
            case DATA, ENDED -> throw new IllegalStateException(state.name());
        }
        return at + 1;
    }

    private void size(byte b) throws FramingException {
        int digit = Character.digit(b, 16);
        if (digit >= 0) {
            if (++digits > MAX_SIZE_DIGITS) {
                throw new FramingException("chunk size too large");
            }
            remaining = digits == 1 ? digit : (remaining << 4) + digit;
            return;
        }
        if (digits == 0) {
            throw new FramingException("chunk size missing");
        }
        state = switch (b) {
            case '\r' -> State.SIZE_LF;
            case ';', ' ', '\t' -> State.EXTENSION;
            default -> throw new FramingException("chunk size malformed");
        };
    }

    private void extension(byte b) throws FramingException {
        if (++lineBytes > MAX_EXTENSION_BYTES) {
            throw new FramingException("chunk extension too long");
        }
        if (b == '\n') {
            throw new FramingException("chunk extension malformed");
        }
        if (b == '\r') {
            state = State.SIZE_LF;
        }
    }

    private void trailer(byte b) throws FramingException {
        if (++lineBytes > MAX_TRAILER_BYTES) {
            throw new FramingException("trailers too long");
        }
        if (b == '\n') {
            // To a reader that takes a bare LF for a line end the body would be over elsewhere.
            throw new FramingException("trailer malformed");
        }
    }

    private static void expect(byte b, char wanted) throws FramingException {
        if (b != wanted) {
            throw new FramingException("chunk line end malformed");
        }
    }
}
