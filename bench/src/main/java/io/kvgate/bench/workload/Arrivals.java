package io.kvgate.bench.workload;

import java.util.random.RandomGenerator;

/** When requests come: the pauses between them, one after another. */
@FunctionalInterface
public interface Arrivals {
    /** Nanoseconds from the last arrival to the next; at least 0. */
    long nextGapNanos();

    /** Independent arrivals at that mean rate. */
    static Arrivals poisson(double perSecond, RandomGenerator random) {
        double meanNanos = meanGapNanos(perSecond);
        return () -> (long) (-Math.log1p(-random.nextDouble()) * meanNanos);
    }

    /** One after another in equal pauses. */
    static Arrivals fixed(double perSecond) {
        long gapNanos = (long) meanGapNanos(perSecond);
        return () -> gapNanos;
    }

    private static double meanGapNanos(double perSecond) {
        if (!(perSecond > 0 && perSecond <= 1e6)) {
            throw new IllegalArgumentException("perSecond: " + perSecond + " (expected: > 0, at most 1e6)");
        }
        return 1e9 / perSecond;
    }
}
