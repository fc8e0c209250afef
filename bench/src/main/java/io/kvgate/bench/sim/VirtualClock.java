package io.kvgate.bench.sim;

import io.kvgate.core.time.Ticker;

/**
 * The simulation's time.
 *
 * <p>Threading: one thread.
 */
final class VirtualClock implements Ticker {
    private long nanos;

    @Override
    public long nanos() {
        return nanos;
    }

    /** @throws IllegalArgumentException that moment is over */
    void advanceTo(long moment) {
        if (moment < nanos) {
            throw new IllegalArgumentException("moment: " + moment + " (expected: >= " + nanos + ")");
        }
        nanos = moment;
    }
}
