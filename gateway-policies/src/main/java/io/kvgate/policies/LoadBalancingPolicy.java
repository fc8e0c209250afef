package io.kvgate.policies;

import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.worker.Worker;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a worker for a request. One instance serves one pool, so pools never share state.
 *
 * <p>Threading: called from every event loop at once; must not block, lock all requests against each other, or allocate in
 * proportion to the fleet. {@link #maintain} and {@link #onWorkerRemoved} come from other threads meanwhile.
 */
public interface LoadBalancingPolicy {
    /** The name under which the policy is configured. */
    String name();

    /**
     * One of the candidates, or null if none fits; never null while there are candidates, unless the policy says when. Leaves the
     * reason in the context, also when it answers null.
     */
    @Nullable
    Worker select(Candidates candidates, SelectionContext context);

    /** Whether {@link SelectionContext#prompt} is looked at; if not it is not extracted. */
    default boolean needsPrompt() {
        return false;
    }

    /** Told once per attempt when its stay at the chosen worker begins. The prompt is gone by then. */
    default void onStart(Worker worker, SelectionContext context) {}

    /** Told once per attempt when its stay at the worker is over. */
    default void onComplete(Worker worker, SelectionContext context, RequestOutcome outcome) {}

    /** A worker has left the pool: forget what is kept about it. */
    default void onWorkerRemoved(Worker worker) {}

    /** Nothing will be asked of this instance any more: its pool is gone, or has another policy now. Gives back what is shared. */
    default void onDropped() {}

    /** Routing keys it remembers; 0 if it remembers none. */
    default long rememberedKeys() {
        return 0;
    }

    /** Called several times a second by one thread, for what is due by time: eviction, expiry, re-splitting. Returns soon. */
    default void maintain() {}
}
