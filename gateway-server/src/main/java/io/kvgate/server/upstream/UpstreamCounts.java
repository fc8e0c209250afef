package io.kvgate.server.upstream;

import java.util.concurrent.atomic.LongAdder;

/**
 * How many connections to workers are open, over all event loops.
 *
 * <p>Threading: any thread.
 */
public final class UpstreamCounts {
    private final LongAdder open = new LongAdder();

    void opened() {
        open.increment();
    }

    void closed() {
        open.decrement();
    }

    public long open() {
        return open.sum();
    }
}
