package io.kvgate.core.worker;

import java.util.List;

/**
 * Immutable: the workers of one role and model at one moment.
 *
 * @param key which pool
 * @param members all, whatever their status, in order of registration
 * @param ready those with status READY, in the same order
 */
public record WorkerPool(PoolKey key, List<Worker> members, List<Worker> ready) {
    public WorkerPool {
        members = List.copyOf(members);
        ready = List.copyOf(ready);
    }
}
