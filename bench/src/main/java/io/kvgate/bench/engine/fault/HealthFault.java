package io.kvgate.bench.engine.fault;

import java.time.Duration;

/**
 * How {@code /health} and {@code /health_generate} answer.
 *
 * @param status status to answer
 * @param delay real time before the answer
 * @param silent takes the probe and never answers
 */
public record HealthFault(int status, Duration delay, boolean silent) {

    public HealthFault {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException("status: " + status + " (expected: 200 to 599)");
        }
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay: " + delay + " (expected: >= 0)");
        }
    }

    /** Healthy, at once. */
    public static HealthFault none() {
        return new HealthFault(200, Duration.ZERO, false);
    }

    /** This status, at once. */
    public static HealthFault ofStatus(int status) {
        return new HealthFault(status, Duration.ZERO, false);
    }
}
