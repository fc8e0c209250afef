package io.kvgate.policies;

import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.time.Ticker;
import java.util.random.RandomGenerator;

/**
 * What policies are made with.
 *
 * @param random shared by all pools and threads, so it must allow that
 * @param ticker the clock
 * @param metrics where branch counters live
 */
public record PolicyServices(RandomGenerator random, Ticker ticker, MetricsRegistry metrics) {}
