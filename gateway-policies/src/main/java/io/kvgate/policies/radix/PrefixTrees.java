package io.kvgate.policies.radix;

import io.kvgate.core.worker.Worker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The trees of all pools of one gateway, and the heap they may take together. Growth is paid for before it happens, so the bound holds
 * at every moment, also between sweeps.
 *
 * <p>Threading: any thread; one atomic count.
 */
public final class PrefixTrees {
    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();
    private final Set<RadixTree> trees = ConcurrentHashMap.newKeySet();

    /** @param maxBytes estimated heap of all trees at most; positive */
    public PrefixTrees(long maxBytes) {
        if (maxBytes <= 0) {
            throw new IllegalArgumentException("maxBytes: " + maxBytes + " (expected: > 0)");
        }
        this.maxBytes = maxBytes;
    }

    /** Trees that may take a quarter of the heap: most of a gateway's other memory is not on it. */
    public static PrefixTrees withQuarterOfHeap() {
        return new PrefixTrees(Runtime.getRuntime().maxMemory() / 4);
    }

    /** Estimated heap of all trees, with what is reserved for inserts under way. */
    public long bytes() {
        return bytes.get();
    }

    public long maxBytes() {
        return maxBytes;
    }

    /** Whether a sweep should make room now: seven eighths are taken. */
    public boolean crowded() {
        return bytes.get() > maxBytes - maxBytes / 8;
    }

    /** Characters that a worker holds in all trees. */
    public long characters(Worker worker) {
        long sum = 0;
        for (RadixTree tree : trees) {
            sum += tree.characters(worker);
        }
        return sum;
    }

    /** A tree's part of three quarters of the bound, by what it takes now. */
    long target(long treeBytes) {
        double share = (double) treeBytes / Math.max(1, bytes.get());
        return (long) (Math.min(1, share) * (maxBytes - maxBytes / 4));
    }

    boolean reserve(long wanted) {
        if (bytes.addAndGet(wanted) <= maxBytes) {
            return true;
        }
        bytes.addAndGet(-wanted);
        return false;
    }

    /** Takes in what a tree has grown by, less than 0 if it has shrunk, or gives back what was reserved. */
    void charge(long delta) {
        bytes.addAndGet(delta);
    }

    void enlist(RadixTree tree) {
        trees.add(tree);
    }

    void strike(RadixTree tree) {
        trees.remove(tree);
    }
}
