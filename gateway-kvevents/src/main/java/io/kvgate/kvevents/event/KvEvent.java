package io.kvgate.kvevents.event;

import org.jspecify.annotations.Nullable;

/**
 * One change of an engine's prefix cache, as the engine told it. Block hashes are opaque handles of one source, brought to 64 bits;
 * they mean nothing at another source.
 */
public sealed interface KvEvent {
    /** No group was named. */
    int NO_GROUP = -1;

    /**
     * Blocks were registered, one after the other behind their parent. A hash may be stored several times: once per physical copy.
     *
     * @param hashes one per block, in order; may be empty
     * @param parent hash of the block before the first; meaningless without {@code hasParent}
     * @param hasParent false: the first block begins a sequence
     * @param tokens ids of all blocks together, in order; empty: only the hashes are told (an offload tier's placeholder). For a
     *     bigram engine one more than the blocks hold.
     * @param blockSize tokens per block; 0 in placeholders
     * @param loraName adapter; null: the base model
     * @param salt cache salt of the sequence; null if none is told (a child inherits its parent's)
     * @param extras per block a hash of what else went into it (images, embeddings), 0: nothing; null: nothing in any block
     * @param tier where they are
     * @param group cache group of the engine, or {@link #NO_GROUP}
     * @param kind what the group is; null if not told
     */
    @SuppressWarnings("ArrayRecordComponent") // decoded once, read once, by one thread
    record BlockStored(
            long[] hashes,
            long parent,
            boolean hasParent,
            int[] tokens,
            int blockSize,
            @Nullable String loraName,
            @Nullable String salt,
            long @Nullable [] extras,
            CacheTier tier,
            int group,
            @Nullable String kind)
            implements KvEvent {
        /** Only hashes are told: what they stand for has to be known from elsewhere. */
        public boolean isPlaceholder() {
            return tokens.length == 0;
        }

        /** Whether every token belongs to exactly one of the hashes. Sparse groups tell more tokens than blocks. */
        public boolean isDense() {
            return blockSize > 0 && (long) hashes.length * blockSize == tokens.length;
        }
    }

    /**
     * One copy of each block is gone.
     *
     * @param hashes which; may be empty
     * @param tier where from
     * @param group cache group, or {@link #NO_GROUP}
     */
    @SuppressWarnings("ArrayRecordComponent") // decoded once, read once, by one thread
    record BlockRemoved(long[] hashes, CacheTier tier, int group) implements KvEvent {}

    /** Everything is gone, in all tiers. */
    record AllBlocksCleared() implements KvEvent {}
}
