package io.kvgate.kvevents.index;

/**
 * Long to non-negative int, open addressing.
 *
 * <p>Threading: the writer.
 */
final class LongIndex {
    private static final int FIRST_CAPACITY = 64;
    private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

    private long[] keys = new long[FIRST_CAPACITY];
    /** Value plus one; 0: the slot is empty. */
    private int[] values = new int[FIRST_CAPACITY];

    private int size;

    int size() {
        return size;
    }

    /** The value, or −1. */
    int get(long key) {
        int mask = keys.length - 1;
        int slot = home(key, mask);
        while (values[slot] != 0) {
            if (keys[slot] == key) {
                return values[slot] - 1;
            }
            slot = (slot + 1) & mask;
        }
        return -1;
    }

    void put(long key, int value) {
        if ((size + 1) * 3L > keys.length * 2L) {
            grow();
        }
        int mask = keys.length - 1;
        int slot = home(key, mask);
        while (values[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        size += values[slot] == 0 ? 1 : 0;
        keys[slot] = key;
        values[slot] = value + 1;
    }

    void remove(long key) {
        int mask = keys.length - 1;
        int gap = home(key, mask);
        while (values[gap] != 0 && keys[gap] != key) {
            gap = (gap + 1) & mask;
        }
        if (values[gap] == 0) {
            return;
        }
        size--;
        values[gap] = 0;
        int slot = (gap + 1) & mask;
        while (values[slot] != 0) {
            int home = home(keys[slot], mask);
            if (((slot - home) & mask) >= ((slot - gap) & mask)) {
                keys[gap] = keys[slot];
                values[gap] = values[slot];
                values[slot] = 0;
                gap = slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    void clear() {
        keys = new long[FIRST_CAPACITY];
        values = new int[FIRST_CAPACITY];
        size = 0;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new int[oldKeys.length * 2];
        size = 0;
        for (int slot = 0; slot < oldKeys.length; slot++) {
            if (oldValues[slot] != 0) {
                put(oldKeys[slot], oldValues[slot] - 1);
            }
        }
    }

    private static int home(long key, int mask) {
        return (int) ((key * SPREAD) >>> 32) & mask;
    }
}
