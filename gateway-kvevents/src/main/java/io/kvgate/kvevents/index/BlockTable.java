package io.kvgate.kvevents.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which sources hold which block: a hash table of 64-bit chain keys, each with one bit per source. Open addressing; a slot never
 * changes its key, so a reader sees a key's bits as they were before or after a change, never another key's. Keys that nobody holds
 * any more stay until the table is built anew.
 *
 * <p>Threading: one writer; any number of readers, without locks, each working on the {@link Slots} it has taken.
 */
final class BlockTable {
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int FIRST_CAPACITY = 1_024;
    /** Stands in for the key 0, which marks an empty slot. */
    private static final long ZERO = 0x5bd1_e995_c2b2_ae35L;

    /** One state of the table's arrays. */
    static final class Slots {
        private final long[] keys;
        private final long[] bits;
        private final int words;

        Slots(int capacity, int words) {
            keys = new long[capacity];
            bits = new long[capacity * words];
            this.words = words;
        }

        /** How many longs hold a key's bits. */
        int words() {
            return words;
        }

        /** The slot of a key, or −1. */
        int find(long key) {
            long wanted = key == 0 ? ZERO : key;
            int mask = keys.length - 1;
            int slot = (int) wanted & mask;
            while (true) {
                long found = (long) LONGS.getAcquire(keys, slot);
                if (found == wanted) {
                    return slot;
                }
                if (found == 0) {
                    return -1;
                }
                slot = (slot + 1) & mask;
            }
        }

        /** Bits of sources 64·word to 64·word + 63. */
        long bits(int slot, int word) {
            return (long) LONGS.getAcquire(bits, slot * words + word);
        }
    }

    private volatile Slots slots;
    private int used;
    private int live;

    BlockTable(int words) {
        slots = new Slots(FIRST_CAPACITY, words);
    }

    /** For readers: stays as it is but for the changes that the writer makes in it. */
    Slots slots() {
        return slots;
    }

    /** Keys that some source holds. */
    int live() {
        return live;
    }

    boolean holds(long key, int source) {
        Slots current = slots;
        int slot = current.find(key);
        return slot >= 0 && (current.bits(slot, source >> 6) & (1L << source)) != 0;
    }

    void set(long key, int source) {
        Slots current = slots;
        int slot = current.find(key);
        if (slot < 0) {
            current = withRoom(current);
            slot = emptySlot(current, key);
            current.bits[slot * current.words + (source >> 6)] = 1L << source;
            used++;
            live++;
            // The bits before the key: who finds the key finds them.
            LONGS.setRelease(current.keys, slot, key == 0 ? ZERO : key);
            return;
        }
        if (isDead(current, slot)) {
            live++;
        }
        int at = slot * current.words + (source >> 6);
        LONGS.setRelease(current.bits, at, current.bits[at] | (1L << source));
    }

    void clear(long key, int source) {
        Slots current = slots;
        int slot = current.find(key);
        if (slot < 0 || isDead(current, slot)) {
            return;
        }
        int at = slot * current.words + (source >> 6);
        LONGS.setRelease(current.bits, at, current.bits[at] & ~(1L << source));
        if (isDead(current, slot)) {
            live--;
        }
    }

    /** Makes room for more sources. */
    void widen(int words) {
        slots = rebuilt(slots, slots.keys.length, words);
    }

    private Slots withRoom(Slots current) {
        if ((used + 1) * 2 <= current.keys.length) {
            return current;
        }
        int capacity = FIRST_CAPACITY;
        while (capacity < (live + 1) * 3L) {
            capacity *= 2;
        }
        Slots grown = rebuilt(current, capacity, current.words);
        slots = grown;
        return grown;
    }

    private Slots rebuilt(Slots old, int capacity, int words) {
        Slots fresh = new Slots(capacity, words);
        used = 0;
        for (int slot = 0; slot < old.keys.length; slot++) {
            if (old.keys[slot] != 0 && !isDead(old, slot)) {
                int to = emptySlot(fresh, old.keys[slot]);
                fresh.keys[to] = old.keys[slot];
                System.arraycopy(old.bits, slot * old.words, fresh.bits, to * words, old.words);
                used++;
            }
        }
        return fresh;
    }

    private static int emptySlot(Slots current, long key) {
        int mask = current.keys.length - 1;
        int slot = (int) (key == 0 ? ZERO : key) & mask;
        while (current.keys[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private static boolean isDead(Slots current, int slot) {
        for (int word = 0; word < current.words; word++) {
            if (current.bits[slot * current.words + word] != 0) {
                return false;
            }
        }
        return true;
    }
}
