package io.kvgate.policies;

import io.kvgate.policies.hash.TokenHash;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The ring points of prefix hashes, remembered: prefixes come again, and the second hash is the dearer one.
 *
 * <p>Threading: any thread. A cell is two numbers that are written without any order; that they belong together is seen by their
 * exclusive or, which must be the hash that is asked for.
 */
final class RingPoints {
    private static final int CELLS = 4_096;

    private final AtomicLongArray numbers = new AtomicLongArray(2 * CELLS);

    RingPoints() {
        // An untouched cell looks like hash 0 at point 0. Only the first cell is ever asked for hash 0.
        numbers.set(0, 1);
    }

    /** {@link TokenHash#ringPoint} of that hash. */
    long of(long hash) {
        int cell = 2 * (int) (hash & (CELLS - 1));
        long point = numbers.getPlain(cell + 1);
        if ((numbers.getPlain(cell) ^ point) == hash) {
            return point;
        }
        long fresh = TokenHash.ringPoint(hash);
        numbers.setPlain(cell, hash ^ fresh);
        numbers.setPlain(cell + 1, fresh);
        return fresh;
    }
}
