package io.kvgate.core.worker;

import java.time.Duration;

/**
 * How one worker is probed.
 *
 * @param endpoint path of the probe, begins with {@code /}
 * @param interval pause between probes; positive
 * @param timeout limit of one probe; positive
 * @param failureThreshold failures in a row that make a ready worker not ready; at least 1
 * @param successThreshold successes in a row that make a not-ready worker ready again; at least 1 (the first success suffices for a pending one)
 * @param disabled true: never probed, always ready
 */
public record HealthSettings(
        String endpoint,
        Duration interval,
        Duration timeout,
        int failureThreshold,
        int successThreshold,
        boolean disabled) {
    /** The reference's command-line defaults. */
    public static final HealthSettings DEFAULT =
            new HealthSettings("/health", Duration.ofSeconds(60), Duration.ofSeconds(5), 3, 2, false);

    public HealthSettings {
        if (!endpoint.startsWith("/")) {
            throw new IllegalArgumentException("endpoint: " + endpoint + " (expected: begins with /)");
        }
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("interval: " + interval + " (expected: > 0)");
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: > 0)");
        }
        if (failureThreshold < 1) {
            throw new IllegalArgumentException("failureThreshold: " + failureThreshold + " (expected: >= 1)");
        }
        if (successThreshold < 1) {
            throw new IllegalArgumentException("successThreshold: " + successThreshold + " (expected: >= 1)");
        }
    }
}
