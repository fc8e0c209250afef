package io.kvgate.kvevents.index;

import io.kvgate.kvevents.event.KvEvent.BlockStored;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Stores whose parent is not known yet; bounded in blocks and in time, the oldest go first. A removal of one of their blocks ends the
 * whole store: what follows a block that is gone can wait for its own parent no longer than it would anyway, and less is safe.
 *
 * <p>Threading: the writer.
 */
final class Orphans {
    private record Waiting(BlockStored event, long deadlineNanos) {}

    private final OrphanLimits limits;
    private final Map<Long, Set<Waiting>> byParent = new HashMap<>();
    private final Map<Long, List<Waiting>> byHash = new HashMap<>();
    private final Deque<Waiting> byAge = new ArrayDeque<>();
    private final Set<Waiting> alive = java.util.Collections.newSetFromMap(new java.util.IdentityHashMap<>());
    private int size;

    Orphans(OrphanLimits limits) {
        this.limits = limits;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Blocks that wait. */
    int size() {
        return size;
    }

    void add(BlockStored event, long nowNanos) {
        int blocks = event.hashes().length;
        if (blocks > limits.blocks()) {
            return;
        }
        while (size + blocks > limits.blocks()) {
            drop(byAge.remove());
        }
        if (byAge.size() > 2 * alive.size() + 64) {
            byAge.removeIf(old -> !alive.contains(old));
        }
        Waiting waiting = new Waiting(event, nowNanos + limits.age().toNanos());
        alive.add(waiting);
        byAge.add(waiting);
        byParent.computeIfAbsent(event.parent(), parent -> new LinkedHashSet<>())
                .add(waiting);
        for (long hash : event.hashes()) {
            byHash.computeIfAbsent(hash, absent -> new ArrayList<>(1)).add(waiting);
        }
        size += blocks;
    }

    /** Those that wait for this block; they wait no more. */
    List<BlockStored> takeChildren(long hash) {
        Set<Waiting> children = byParent.get(hash);
        if (children == null) {
            return List.of();
        }
        List<BlockStored> events = new ArrayList<>();
        for (Waiting waiting : List.copyOf(children)) {
            drop(waiting);
            events.add(waiting.event);
        }
        return events;
    }

    /** @return whether the block was waiting */
    boolean remove(long hash) {
        List<Waiting> stores = byHash.get(hash);
        if (stores == null) {
            return false;
        }
        drop(stores.get(stores.size() - 1));
        return true;
    }

    void expire(long nowNanos) {
        while (!byAge.isEmpty() && byAge.element().deadlineNanos - nowNanos <= 0) {
            drop(byAge.remove());
        }
    }

    void clear() {
        byParent.clear();
        byHash.clear();
        byAge.clear();
        alive.clear();
        size = 0;
    }

    Collection<BlockStored> all() {
        return byAge.stream().filter(alive::contains).map(Waiting::event).toList();
    }

    private void drop(Waiting waiting) {
        if (!alive.remove(waiting)) {
            return;
        }
        size -= waiting.event.hashes().length;
        Set<Waiting> siblings = byParent.get(waiting.event.parent());
        if (siblings != null) {
            siblings.remove(waiting);
            if (siblings.isEmpty()) {
                byParent.remove(waiting.event.parent());
            }
        }
        for (long hash : waiting.event.hashes()) {
            List<Waiting> stores = byHash.get(hash);
            if (stores != null) {
                stores.remove(waiting);
                if (stores.isEmpty()) {
                    byHash.remove(hash);
                }
            }
        }
    }
}
