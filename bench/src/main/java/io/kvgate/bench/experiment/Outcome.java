package io.kvgate.bench.experiment;

import io.kvgate.bench.load.LoadResult;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one run came to.
 *
 * @param expectedHit share of prompt tokens by the closed form; NaN if none fits
 * @param load what the clients saw after the warm-up
 * @param engines what the engines counted in that time
 * @param reasons how often cache_aware chose for which reason in that time; empty for other policies
 */
record Outcome(PolicyRun run, double expectedHit, LoadResult load, EngineCounts engines, Map<String, Long> reasons) {
    Outcome {
        reasons = Collections.unmodifiableSortedMap(new TreeMap<>(reasons));
    }

    /** Share of prompt tokens that the engines had in their caches, 0 to 1. */
    double hit() {
        return engines.promptTokens() == 0 ? 0 : (double) engines.cachedTokens() / engines.promptTokens();
    }

    /** Share of the good answers that came from the busiest worker, 0 to 1. */
    double busiestShare() {
        int most = load.perWorker().values().stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElse(0);
        return load.good() == 0 ? 0 : (double) most / load.good();
    }
}
