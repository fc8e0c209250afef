package io.kvgate.bench.engine.model;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The queue of blocks that nobody uses, least recently used first. A doubly linked list through the blocks
 * themselves, because a cache hit takes a block out of the middle: every operation is O(1).
 *
 * <p>Threading: confined to the owner of the {@link BlockPool}.
 */
final class FreeBlockQueue {
    private final Block head = new Block(-1);
    private final Block tail = new Block(-2);
    private int size;

    FreeBlockQueue() {
        head.nextFree = tail;
        tail.previousFree = head;
    }

    int size() {
        return size;
    }

    void append(Block block) {
        Block last = Objects.requireNonNull(tail.previousFree);
        last.nextFree = block;
        block.previousFree = last;
        block.nextFree = tail;
        tail.previousFree = block;
        size++;
    }

    /** Takes a block out, wherever it stands. */
    void remove(Block block) {
        Block before = Objects.requireNonNull(block.previousFree, "block not in the free queue");
        Block after = Objects.requireNonNull(block.nextFree, "block not in the free queue");
        before.nextFree = after;
        after.previousFree = before;
        block.previousFree = null;
        block.nextFree = null;
        size--;
    }

    /** Takes the least recently used block out; null when the queue is empty. */
    @Nullable
    Block poll() {
        Block first = Objects.requireNonNull(head.nextFree);
        if (first == tail) {
            return null;
        }
        remove(first);
        return first;
    }

    /** Ids from the next to be taken to the last; for tests and checks. */
    int[] ids() {
        int[] ids = new int[size];
        Block block = Objects.requireNonNull(head.nextFree);
        for (int i = 0; i < size; i++) {
            ids[i] = block.id;
            block = Objects.requireNonNull(block.nextFree);
        }
        return ids;
    }
}
