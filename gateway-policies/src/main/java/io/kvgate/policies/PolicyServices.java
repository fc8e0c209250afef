package io.kvgate.policies;

import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.time.Ticker;
import io.kvgate.policies.radix.PrefixTrees;
import java.util.random.RandomGenerator;

/**
 * What policies are made with.
 *
 * @param random shared by all pools and threads, so it must allow that
 * @param ticker the clock
 * @param metrics where branch counters live
 * @param trees the memory that the prefix trees of all pools share
 */
public record PolicyServices(RandomGenerator random, Ticker ticker, MetricsRegistry metrics, PrefixTrees trees) {
    /** With trees that may take a quarter of the heap. */
    public PolicyServices(RandomGenerator random, Ticker ticker, MetricsRegistry metrics) {
        this(random, ticker, metrics, PrefixTrees.withQuarterOfHeap());
    }
}
