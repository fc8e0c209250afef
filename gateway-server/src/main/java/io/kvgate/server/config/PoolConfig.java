package io.kvgate.server.config;

import java.time.Duration;

/**
 * Kept upstream connections, per event loop and worker.
 *
 * @param idleTimeout how long an unused one is kept; below the engines' own 5 s, so that the gateway closes first
 * @param maxIdle how many unused ones are kept per event loop and worker
 */
public record PoolConfig(Duration idleTimeout, int maxIdle) {
    public static final PoolConfig DEFAULT = new PoolConfig(Duration.ofSeconds(4), 256);

    public PoolConfig {
        Check.positive("idleTimeout", idleTimeout);
        Check.atLeast("maxIdle", maxIdle, 0);
    }
}
