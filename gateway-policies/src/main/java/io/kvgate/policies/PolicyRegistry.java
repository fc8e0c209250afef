package io.kvgate.policies;

import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.WorkerEvent;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Skeleton: API fixed, body to come. Policy names → factories, and the policy instance of each pool. */
public final class PolicyRegistry {
    /** @param policy a name or alias, any case @throws IllegalArgumentException unknown name; the message lists the known ones */
    public PolicyRegistry(String policy, RandomGenerator random) {
        throw new UnsupportedOperationException();
    }

    /** Canonical names, sorted. */
    public static Set<String> names() {
        throw new UnsupportedOperationException();
    }

    /** The pool's policy, made on first use. Cheap: called per selection. */
    public LoadBalancingPolicy policyOf(PoolKey key) {
        throw new UnsupportedOperationException();
    }

    /** Passes removals on; drops the policies of pools that have no worker left. */
    public void onWorkerEvent(WorkerEvent event) {
        throw new UnsupportedOperationException();
    }
}
