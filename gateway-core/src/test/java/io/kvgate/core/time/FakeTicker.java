package io.kvgate.core.time;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A ticker that stands still until a test moves it. It starts close below the overflow of a long, so that code which compares
 * moments instead of differences fails.
 *
 * <p>Threading: any thread.
 */
public final class FakeTicker implements Ticker {
    private final AtomicLong nanos =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(1).toNanos());

    @Override
    public long nanos() {
        return nanos.get();
    }

    public void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    public void advanceNanos(long by) {
        nanos.addAndGet(by);
    }

    public void advanceMillis(long by) {
        advance(Duration.ofMillis(by));
    }
}
