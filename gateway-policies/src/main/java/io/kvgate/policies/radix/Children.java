package io.kvgate.policies.radix;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The children of one node by the key of their first code point: open addressing, linear probing.
 *
 * <p>Threading: {@link #get} and {@link #at} from any thread without a lock; the rest under the monitor of the node it belongs to.
 * A key, once written, stays in its place as long as the table lives, so a reader meets each key at most once; a child is published by
 * the release of its slot before its key. A table that is full, or nearly empty, is replaced by one of another size.
 */
final class Children {
    private static final VarHandle KEYS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle NODES = MethodHandles.arrayElementVarHandle(Node[].class);
    private static final int SMALLEST = 2;
    private static final int OBJECT_BYTES = 32;
    private static final int CONCURRENT_INSERTS = 64;

    private final int[] keys;
    private final @Nullable Node[] nodes;

    /** Places with a key, also of children that have gone. */
    private int used;

    private int live;

    private Children(int capacity) {
        keys = new int[capacity];
        nodes = new Node[capacity];
    }

    /** A table of one child. */
    static Children of(int key, Node child) {
        Children children = new Children(SMALLEST);
        children.add(key, child);
        return children;
    }

    @Nullable
    Node get(int key) {
        int place = place(key);
        return place < 0 ? null : at(place);
    }

    /** @param place 0 to capacity() − 1 */
    @Nullable
    Node at(int place) {
        return (Node) NODES.getAcquire(nodes, place);
    }

    int capacity() {
        return keys.length;
    }

    int live() {
        return live;
    }

    /** Puts a child in the place of another of the same key, or adds it. @return the table to use from now on */
    Children put(int key, Node child) {
        int place = place(key);
        if (place >= 0) {
            live += nodes[place] == null ? 1 : 0;
            NODES.setRelease(nodes, place, child);
            return this;
        }
        if (used < limit(keys.length)) {
            add(key, child);
            return this;
        }
        Children next = resized(live >= limit(keys.length) / 2 ? keys.length * 2 : keys.length);
        next.add(key, child);
        return next;
    }

    /** Takes a child out. @return the table to use from now on; null if no child is left */
    @Nullable
    Children remove(int key) {
        int place = place(key);
        if (place >= 0 && nodes[place] != null) {
            NODES.setRelease(nodes, place, null);
            live--;
        }
        if (live == 0) {
            return null;
        }
        return keys.length > 8 && live < keys.length / 8 ? resized(keys.length / 4) : this;
    }

    long footprint() {
        return footprint(keys.length);
    }

    /**
     * What one more child may add to the footprint; also asked without the monitor. A table with room for fewer than some tens of children
     * counts as full, so that inserts under way at the same moment are covered.
     */
    static long growth(@Nullable Children children) {
        if (children == null) {
            return footprint(SMALLEST);
        }
        int capacity = children.keys.length;
        return children.used + CONCURRENT_INSERTS < limit(capacity) ? 0 : footprint(capacity * 2) - footprint(capacity);
    }

    private static long footprint(int capacity) {
        return OBJECT_BYTES + 2 * Node.arrayBytes(4L * capacity);
    }

    /** Small tables may be full: a look-up never tries more places than there are. */
    private static int limit(int capacity) {
        return capacity <= 4 ? capacity : capacity - capacity / 4;
    }

    private int place(int key) {
        int mask = keys.length - 1;
        int place = hash(key) & mask;
        for (int tries = 0; tries <= mask; tries++) {
            int found = (int) KEYS.getAcquire(keys, place);
            if (found == key) {
                return place;
            }
            if (found == 0) {
                return -1;
            }
            place = (place + 1) & mask;
        }
        return -1;
    }

    private void add(int key, Node child) {
        int mask = keys.length - 1;
        int place = hash(key) & mask;
        while (keys[place] != 0) {
            place = (place + 1) & mask;
        }
        NODES.setRelease(nodes, place, child);
        KEYS.setRelease(keys, place, key);
        used++;
        live++;
    }

    private Children resized(int capacity) {
        Children next = new Children(capacity);
        for (int i = 0; i < keys.length; i++) {
            Node child = nodes[i];
            if (child != null) {
                next.add(keys[i], child);
            }
        }
        return next;
    }

    private static int hash(int key) {
        int product = key * 0x9E37_79B9;
        return product ^ (product >>> 16);
    }
}
