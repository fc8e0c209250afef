package io.kvgate.core.worker;

/** Names a pool: workers of one role that serve one model. Pools share no counter, tree or ring. */
public record PoolKey(WorkerRole role, String model) {
    /** {@code pool::model}, as {@code regular::llama}. */
    @Override
    public String toString() {
        return role.label() + "::" + model;
    }
}
