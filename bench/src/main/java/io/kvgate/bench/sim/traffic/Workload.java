package io.kvgate.bench.sim.traffic;

import com.google.errorprone.annotations.Immutable;
import java.util.random.RandomGenerator;

/** What clients send. The same random numbers give the same requests. */
@Immutable
public sealed interface Workload permits SharedPrompts, Conversations {
    /** A request that comes from outside. */
    Turn first(RandomGenerator random);

    /**
     * What the client sends after an answer.
     *
     * @param before not the last of its conversation
     * @param answer the engine's tokens
     */
    Turn next(Turn before, int[] answer, RandomGenerator random);

    /** A length of at least one, exponential with that mean before it is cut to a whole number. */
    static int drawLength(double mean, RandomGenerator random) {
        return Math.max(1, (int) (mean * random.nextExponential()));
    }

    /** @throws IllegalArgumentException it isn't valid */
    static void check(String name, Object value, boolean valid, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
