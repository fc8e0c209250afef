package io.kvgate.bench.engine.model;

import org.jspecify.annotations.Nullable;

/**
 * One physical KV block: its reference count, its hash when it is in the prefix cache, and its place in the free
 * queue.
 *
 * <p>Threading: confined to the owner of the {@link BlockPool}.
 */
final class Block {
    final int id;
    int references;
    boolean registered;
    long hash;
    /** Next block with the same hash. */
    @Nullable
    Block nextCopy;
    /** Neighbours in the free queue; both null while the block is not in it. */
    @Nullable
    Block previousFree;

    @Nullable
    Block nextFree;

    Block(int id) {
        this.id = id;
    }
}
