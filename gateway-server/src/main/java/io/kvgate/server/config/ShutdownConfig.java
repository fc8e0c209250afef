package io.kvgate.server.config;

import java.time.Duration;

/**
 * How the gateway ends.
 *
 * @param settle first, readiness says no while requests are still taken, so that load balancers move away
 * @param grace then, no connection is taken any more and running requests may finish within this time
 */
public record ShutdownConfig(Duration settle, Duration grace) {
    public static final ShutdownConfig DEFAULT = new ShutdownConfig(Duration.ofSeconds(5), Duration.ofSeconds(180));

    public ShutdownConfig {
        Check.notNegative("settle", settle);
        Check.notNegative("grace", grace);
    }
}
