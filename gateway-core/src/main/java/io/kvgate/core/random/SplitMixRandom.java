package io.kvgate.core.random;

import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * A seeded generator that many threads may share: SplitMix64 over one atomic counter (Steele, Lea, Flood, "Fast splittable
 * pseudorandom number generators", 2014).
 *
 * <p>Threading: any thread; without locks. One thread alone sees the same numbers for the same seed.
 */
public final class SplitMixRandom implements RandomGenerator {
    private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

    private final AtomicLong state;

    public SplitMixRandom(long seed) {
        state = new AtomicLong(seed);
    }

    @Override
    public long nextLong() {
        long z = state.addAndGet(GOLDEN_GAMMA);
        z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }
}
