package io.kvgate.policies;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A running mean of the characters per request that no worker has seen yet: what a request costs a fleet whose prefixes are where they
 * should be.
 *
 * <p>Threading: any thread; two that add at the same moment may count as one, which a mean can bear.
 */
final class UncachedWork {
    /**
     * What a request costs at least, in characters: the engine schedules and decodes it however much it has cached. Without a floor a
     * fleet that finds everything cached would call waiting free.
     */
    static final double FLOOR = 256;

    /** The mean is over about this many requests; over all of them until there are as many. */
    private static final int SPAN = 128;

    /** 64k tokens: one giant prompt must not outweigh the rest. */
    private static final int LARGEST_SAMPLE = 262_144;

    private final AtomicInteger samples = new AtomicInteger();
    private volatile double mean;

    void add(int characters) {
        double before = mean;
        int seen = samples.get();
        int weight = seen < SPAN ? samples.incrementAndGet() : SPAN;
        mean = before + (Math.min(characters, LARGEST_SAMPLE) - before) / Math.min(weight, SPAN);
    }

    /** At least {@link #FLOOR}. */
    double perRequest() {
        return Math.max(FLOOR, mean);
    }
}
