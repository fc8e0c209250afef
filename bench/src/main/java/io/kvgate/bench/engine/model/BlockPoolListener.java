package io.kvgate.bench.engine.model;

/**
 * Hears of every change of what the prefix cache holds, in order. Called while the pool changes, so it must not call
 * back into the model.
 *
 * <p>Two physical blocks may hold the same hash: each is reported as stored once and as removed once.
 */
public interface BlockPoolListener {

    /**
     * The full blocks {@code firstBlock} to {@code endBlock} (exclusive) of a sequence were registered. The parent of
     * the first is {@code sequence.hash(firstBlock - 1)}, or nothing when {@code firstBlock} is 0. Read what is
     * needed during the call: the sequence grows later.
     */
    void stored(TokenSequence sequence, int firstBlock, int endBlock);

    /** One copy of the block with this hash was evicted. */
    void removed(long hash);

    /** The whole cache was emptied. */
    void cleared();

    /** A listener that ignores everything. */
    static BlockPoolListener none() {
        return new BlockPoolListener() {
            @Override
            public void stored(TokenSequence sequence, int firstBlock, int endBlock) {}

            @Override
            public void removed(long hash) {}

            @Override
            public void cleared() {}
        };
    }
}
