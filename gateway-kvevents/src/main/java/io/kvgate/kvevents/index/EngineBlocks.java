package io.kvgate.kvevents.index;

/**
 * What one source's block hashes stand for, and how many copies it holds of each, by tier. Open addressing with three flat arrays: 28
 * bytes a slot, at most two thirds of them taken.
 *
 * <p>Threading: the writer.
 */
final class EngineBlocks {
    /** Copies per tier beyond which counting stops; then the block goes early, which is safe. */
    static final int MAX_COPIES = 1_023;

    private static final int BITS = 10;
    private static final int FIRST_CAPACITY = 64;
    private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

    /** Sees each hash once, in no order. */
    interface Visitor {
        void visit(long hash, long key, int tokensPerBlock, int copies, int tier);
    }

    private long[] hashes = new long[FIRST_CAPACITY];
    private long[] keys = new long[FIRST_CAPACITY];
    /** Three counts of ten bits; 0: the slot is empty. */
    private int[] counts = new int[FIRST_CAPACITY];

    private int[] sizes = new int[FIRST_CAPACITY];
    private int size;

    int size() {
        return size;
    }

    /** The slot of a hash, or −1. Valid until the next change. */
    int find(long hash) {
        int mask = hashes.length - 1;
        int slot = home(hash, mask);
        while (counts[slot] != 0) {
            if (hashes[slot] == hash) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
        return -1;
    }

    long keyAt(int slot) {
        return keys[slot];
    }

    int tokensPerBlockAt(int slot) {
        return sizes[slot];
    }

    int copiesAt(int slot, int tier) {
        return counts[slot] >>> (BITS * tier) & MAX_COPIES;
    }

    /** Puts a hash in that {@link #find} has not found, with one copy. */
    void put(long hash, long key, int tokensPerBlock, int tier) {
        if ((size + 1) * 3L > hashes.length * 2L) {
            grow();
        }
        int mask = hashes.length - 1;
        int slot = home(hash, mask);
        while (counts[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        hashes[slot] = hash;
        keys[slot] = key;
        sizes[slot] = tokensPerBlock;
        counts[slot] = 1 << (BITS * tier);
        size++;
    }

    /** One copy more. */
    void increment(int slot, int tier) {
        if (copiesAt(slot, tier) < MAX_COPIES) {
            counts[slot] += 1 << (BITS * tier);
        }
    }

    /** One copy less of at least one; the hash goes with its last copy, and slots may move. */
    void decrement(int slot, int tier) {
        counts[slot] -= 1 << (BITS * tier);
        if (counts[slot] == 0) {
            size--;
            closeGap(slot);
        }
    }

    void visit(Visitor visitor) {
        for (int slot = 0; slot < hashes.length; slot++) {
            for (int tier = 0; counts[slot] != 0 && tier < BlockTables.TIERS; tier++) {
                int copies = copiesAt(slot, tier);
                if (copies > 0) {
                    visitor.visit(hashes[slot], keys[slot], sizes[slot], copies, tier);
                }
            }
        }
    }

    void clear() {
        hashes = new long[FIRST_CAPACITY];
        keys = new long[FIRST_CAPACITY];
        counts = new int[FIRST_CAPACITY];
        sizes = new int[FIRST_CAPACITY];
        size = 0;
    }

    /** Moves those that stand behind a freed slot only because it was taken. */
    private void closeGap(int freed) {
        int mask = hashes.length - 1;
        int gap = freed;
        int slot = (gap + 1) & mask;
        while (counts[slot] != 0) {
            int home = home(hashes[slot], mask);
            if (((slot - home) & mask) >= ((slot - gap) & mask)) {
                hashes[gap] = hashes[slot];
                keys[gap] = keys[slot];
                sizes[gap] = sizes[slot];
                counts[gap] = counts[slot];
                counts[slot] = 0;
                gap = slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    private void grow() {
        long[] oldHashes = hashes;
        long[] oldKeys = keys;
        int[] oldCounts = counts;
        int[] oldSizes = sizes;
        int capacity = oldHashes.length * 2;
        hashes = new long[capacity];
        keys = new long[capacity];
        counts = new int[capacity];
        sizes = new int[capacity];
        for (int from = 0; from < oldHashes.length; from++) {
            if (oldCounts[from] != 0) {
                int slot = home(oldHashes[from], capacity - 1);
                while (counts[slot] != 0) {
                    slot = (slot + 1) & (capacity - 1);
                }
                hashes[slot] = oldHashes[from];
                keys[slot] = oldKeys[from];
                counts[slot] = oldCounts[from];
                sizes[slot] = oldSizes[from];
            }
        }
    }

    private static int home(long hash, int mask) {
        return (int) ((hash * SPREAD) >>> 32) & mask;
    }
}
