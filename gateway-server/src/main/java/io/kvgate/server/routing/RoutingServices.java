package io.kvgate.server.routing;

import io.kvgate.core.resilience.RetryPolicy;
import io.kvgate.core.time.Ticker;
import io.kvgate.server.config.TimeoutConfig;
import java.util.random.RandomGenerator;

/**
 * What every request uses. Immutable; shared by all event loops.
 *
 * @param selector chooses workers
 * @param encoder writes request heads
 * @param retry attempts and pauses
 * @param timeouts limits of an exchange
 * @param meters counts
 * @param ticker the clock
 * @param random jitter
 */
public record RoutingServices(
        WorkerSelector selector,
        RequestHeadEncoder encoder,
        RetryPolicy retry,
        TimeoutConfig timeouts,
        RoutingMeters meters,
        Ticker ticker,
        RandomGenerator random) {}
