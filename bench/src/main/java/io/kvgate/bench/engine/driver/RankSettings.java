package io.kvgate.bench.engine.driver;

import io.kvgate.bench.engine.model.EngineProfile;

/**
 * How the ranks of one engine run.
 *
 * @param count data-parallel ranks
 * @param speedup virtual seconds per real second
 */
public record RankSettings(EngineProfile profile, int count, long seed, double speedup) {

    public RankSettings {
        if (count < 1) {
            throw new IllegalArgumentException("count: " + count + " (expected: >= 1)");
        }
        if (!(speedup > 0) || Double.isInfinite(speedup)) {
            throw new IllegalArgumentException("speedup: " + speedup + " (expected: > 0)");
        }
    }
}
