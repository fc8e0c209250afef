package io.kvgate.core.resilience;

import java.time.Duration;

/**
 * When a breaker opens and closes.
 *
 * @param failureThreshold failures in a row, within {@code window}, that open it; at least 1
 * @param successThreshold successes that close a half-open breaker; at least 1
 * @param openFor how long it stays open; positive
 * @param window failures older than this no longer count; positive
 * @param enabled false: it never opens
 */
public record CircuitBreakerConfig(
        int failureThreshold, int successThreshold, Duration openFor, Duration window, boolean enabled) {
    /** The reference's command-line defaults. */
    public static final CircuitBreakerConfig DEFAULT =
            new CircuitBreakerConfig(10, 3, Duration.ofSeconds(60), Duration.ofSeconds(120), true);

    public CircuitBreakerConfig {
        if (failureThreshold < 1) {
            throw new IllegalArgumentException("failureThreshold: " + failureThreshold + " (expected: >= 1)");
        }
        if (successThreshold < 1) {
            throw new IllegalArgumentException("successThreshold: " + successThreshold + " (expected: >= 1)");
        }
        if (openFor.isNegative() || openFor.isZero()) {
            throw new IllegalArgumentException("openFor: " + openFor + " (expected: > 0)");
        }
        if (window.isNegative() || window.isZero()) {
            throw new IllegalArgumentException("window: " + window + " (expected: > 0)");
        }
    }
}
