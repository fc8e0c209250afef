package io.kvgate.server.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory all request bodies together may take, so that many large ones are refused instead of ending the process.
 *
 * <p>Threading: any thread; without locks.
 */
public final class BodyBudget {
    private final long limitBytes;
    private final AtomicLong held = new AtomicLong();

    /** @param limitBytes positive */
    public BodyBudget(long limitBytes) {
        if (limitBytes <= 0) {
            throw new IllegalArgumentException("limitBytes: " + limitBytes + " (expected: > 0)");
        }
        this.limitBytes = limitBytes;
    }

    /** Takes the bytes, or nothing if that would go over the limit. When nothing is held they always find room. */
    boolean tryTake(long bytes) {
        long before = held.getAndAdd(bytes);
        if (before > 0 && before + bytes > limitBytes) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }

    /** Bytes held now. */
    public long held() {
        return held.get();
    }
}
