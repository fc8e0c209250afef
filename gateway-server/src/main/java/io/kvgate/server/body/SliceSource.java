package io.kvgate.server.body;

import io.netty.buffer.ByteBuf;

/**
 * The bytes of a body as they are.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class SliceSource implements BodySource {
    private final ByteBuf body;
    private final int start;
    private int next;

    /** @param skipped bytes at the body's start that are not read */
    SliceSource(ByteBuf body, int skipped) {
        this.body = body;
        start = body.readerIndex() + skipped;
        next = start;
    }

    @Override
    public void restart() {
        next = start;
    }

    @Override
    public int read(byte[] target, int from, int length) {
        int count = Math.min(length, body.writerIndex() - next);
        body.getBytes(next, target, from, count);
        next += count;
        return count;
    }

    @Override
    public boolean exhausted() {
        return next == body.writerIndex();
    }
}
