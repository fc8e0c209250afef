package io.kvgate.bench.load;

import org.HdrHistogram.Histogram;

/**
 * A distribution of times, to three digits. All zero if there was nothing to measure.
 *
 * @param count how many were measured
 */
public record Latencies(long count, double meanNanos, long p50Nanos, long p90Nanos, long p99Nanos, long maxNanos) {
    static Latencies of(Histogram histogram) {
        if (histogram.getTotalCount() == 0) {
            return new Latencies(0, 0, 0, 0, 0, 0);
        }
        return new Latencies(
                histogram.getTotalCount(),
                histogram.getMean(),
                histogram.getValueAtPercentile(50),
                histogram.getValueAtPercentile(90),
                histogram.getValueAtPercentile(99),
                histogram.getMaxValue());
    }
}
