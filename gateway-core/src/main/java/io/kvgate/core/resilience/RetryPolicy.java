package io.kvgate.core.resilience;

import java.util.random.RandomGenerator;

/**
 * How often and after what pause a request is tried again.
 *
 * @param maxAttempts attempts in all, the first included; at least 1
 * @param initialBackoffMillis pause before the second attempt; positive
 * @param maxBackoffMillis upper bound of a pause before jitter; at least the initial one
 * @param multiplier growth per attempt; at least 1
 * @param jitterFactor share of the pause that chance adds or takes, 0 to 1
 */
public record RetryPolicy(
        int maxAttempts, long initialBackoffMillis, long maxBackoffMillis, double multiplier, double jitterFactor) {
    /** The reference's command-line defaults. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(5, 50, 30_000, 1.5, 0.2);

    public RetryPolicy {
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts: " + maxAttempts + " (expected: >= 1)");
        }
        if (initialBackoffMillis < 1) {
            throw new IllegalArgumentException("initialBackoffMillis: " + initialBackoffMillis + " (expected: >= 1)");
        }
        if (maxBackoffMillis < initialBackoffMillis) {
            throw new IllegalArgumentException("maxBackoffMillis: " + maxBackoffMillis
                    + " (expected: >= initialBackoffMillis, " + initialBackoffMillis + ")");
        }
        // Written so that NaN fails too.
        if (!(multiplier >= 1.0 && multiplier < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("multiplier: " + multiplier + " (expected: finite, >= 1)");
        }
        if (!(jitterFactor >= 0.0 && jitterFactor <= 1.0)) {
            throw new IllegalArgumentException("jitterFactor: " + jitterFactor + " (expected: 0 to 1)");
        }
    }

    /** Statuses of a worker that another worker may do better than. */
    public static boolean isRetryableStatus(int status) {
        return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
    }

    /** The pause in milliseconds before attempt {@code retry + 2}, {@code retry} counted from 0. Never negative. */
    public long backoffMillis(int retry, RandomGenerator random) {
        if (retry < 0) {
            throw new IllegalArgumentException("retry: " + retry + " (expected: >= 0)");
        }
        // The cast saturates, so growth without end stops at the upper bound.
        long pause = Math.min((long) (initialBackoffMillis * Math.pow(multiplier, retry)), maxBackoffMillis);
        if (jitterFactor == 0.0) {
            return pause;
        }
        long jitter = Math.round(pause * (jitterFactor * (2 * random.nextDouble() - 1)));
        return Math.max(0, pause + jitter);
    }
}
