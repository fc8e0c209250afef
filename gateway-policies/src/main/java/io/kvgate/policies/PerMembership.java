package io.kvgate.policies;

import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerPool;
import io.kvgate.core.worker.WorkerRole;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Something made of a pool's members, kept until the members change.
 *
 * <p>A change of status makes a new pool of the same members; then what was made is kept, at the price of one comparison of both
 * lists.
 *
 * <p>Threading: any thread; one volatile reference, no lock. Two threads may make the same thing at once, and one that still holds
 * an older pool may make it again for that one; what is made must bear that.
 */
final class PerMembership<T> {
    private record Held<T>(WorkerPool pool, T made) {}

    private final BiFunction<T, List<Worker>, T> maker;
    private volatile Held<T> held;

    /**
     * @param none for no members
     * @param maker from what was there before, and the new members
     */
    PerMembership(T none, BiFunction<T, List<Worker>, T> maker) {
        this.maker = maker;
        held = new Held<>(new WorkerPool(new PoolKey(WorkerRole.REGULAR, "none"), List.of(), List.of()), none);
    }

    /** For this pool; called per selection. */
    @SuppressWarnings("ReferenceEquality") // the quick way; if it is another object its members are compared
    T of(WorkerPool pool) {
        Held<T> now = held;
        return now.pool == pool ? now.made : renewed(now, pool);
    }

    /** For the pool of the last selection. */
    T latest() {
        return held.made;
    }

    private T renewed(Held<T> before, WorkerPool pool) {
        T made = same(before.pool.members(), pool.members()) ? before.made : maker.apply(before.made, pool.members());
        held = new Held<>(pool, made);
        return made;
    }

    private static boolean same(List<Worker> some, List<Worker> others) {
        if (some.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < some.size(); i++) {
            if (some.get(i) != others.get(i)) {
                return false;
            }
        }
        return true;
    }
}
