package io.kvgate.policies;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerPool;
import io.kvgate.policies.hash.HashRing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hash ring of a pool: of all its members, so that a place on it means the same worker again when that one comes back.
 *
 * <p>Threading: any thread, as {@link PerMembership}; a ring made twice is the same ring.
 */
final class PoolRing {
    private final PerMembership<HashRing> rings = new PerMembership<>(HashRing.EMPTY, PoolRing::ringOf);

    private static HashRing ringOf(HashRing before, List<Worker> members) {
        return before.of(
                members.stream().map(worker -> worker.spec().url().toString()).toList());
    }

    HashRing of(WorkerPool pool) {
        return rings.of(pool);
    }

    /** The first candidate clockwise, from this point of the candidates' ring on; null only if there is none. */
    static @Nullable Worker first(HashRing ring, int from, Candidates candidates) {
        return first(ring, from, candidates, Double.POSITIVE_INFINITY);
    }

    /** The same, of those with at most {@code maxLoad} requests in flight; null if there is none. */
    static @Nullable Worker first(HashRing ring, int from, Candidates candidates, double maxLoad) {
        List<Worker> members = candidates.pool().members();
        int point = from;
        // A worker seen before is looked at again: rare, and cheaper than to remember who was.
        for (int steps = 0; steps < ring.size(); steps++) {
            int index = ring.ownerAt(point);
            Worker worker = members.get(index);
            if (worker.inFlight() <= maxLoad && candidates.contains(worker, index)) {
                return worker;
            }
            point = ring.next(point);
        }
        return null;
    }
}
