package io.kvgate.bench.engine.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The KV memory of one engine: a fixed number of blocks with reference counts, a free queue, and the prefix cache
 * over them.
 *
 * <p>The rules are those of vLLM's block pool. Block 0 is the null block and never used. A block that nobody uses
 * stays in the cache and in the free queue at once, until an allocation takes it from the head of the queue; a hit
 * takes it out of the queue again. A finished request gives its blocks back last block first, so the end of a
 * sequence is evicted before its head. Blocks with equal hashes are not merged.
 *
 * <p>Threading: none of its own; confined to the owner of the {@link EngineModel}.
 */
final class BlockPool {
    private final Block[] blocks;
    private final FreeBlockQueue free = new FreeBlockQueue();
    private final Map<Long, Block> cached = new HashMap<>();
    private final BlockPoolListener listener;

    BlockPool(int totalBlocks, BlockPoolListener listener) {
        if (totalBlocks < 2) {
            throw new IllegalArgumentException("totalBlocks: " + totalBlocks + " (expected: >= 2)");
        }
        this.listener = listener;
        blocks = new Block[totalBlocks];
        for (int id = 0; id < totalBlocks; id++) {
            blocks[id] = new Block(id);
            if (id > 0) {
                free.append(blocks[id]);
            }
        }
    }

    /** Blocks that requests can hold: all but the null block. */
    int usableBlocks() {
        return blocks.length - 1;
    }

    int freeBlocks() {
        return free.size();
    }

    int usedBlocks() {
        return usableBlocks() - free.size();
    }

    /** The longest chain of cached blocks from the start of the sequence, at most {@code maxBlocks}. */
    List<Block> findPrefix(TokenSequence sequence, int maxBlocks) {
        int limit = Math.min(maxBlocks, sequence.fullBlocks());
        List<Block> hits = new ArrayList<>();
        for (int i = 0; i < limit; i++) {
            Block block = cached.get(sequence.hash(i));
            if (block == null) {
                break;
            }
            hits.add(block);
        }
        return hits;
    }

    /** Whether {@code newBlocks} can be allocated after these hits have been taken. */
    boolean canAllocate(int newBlocks, List<Block> hits) {
        int hitsInFreeQueue = 0;
        for (Block block : hits) {
            if (block.references == 0) {
                hitsInFreeQueue++;
            }
        }
        return newBlocks <= free.size() - hitsInFreeQueue;
    }

    /** Adds a user to each block; a block that had none leaves the free queue. */
    void touch(List<Block> hits) {
        for (Block block : hits) {
            if (block.references++ == 0) {
                free.remove(block);
            }
        }
    }

    /** Takes blocks from the head of the free queue, evicting what they cached, and adds them to {@code owned}. */
    void allocate(int count, List<Block> owned) {
        if (count > free.size()) {
            throw new IllegalStateException("count: " + count + " (expected: <= " + free.size() + " free blocks)");
        }
        for (int i = 0; i < count; i++) {
            Block block = Objects.requireNonNull(free.poll());
            assert block.references == 0;
            if (block.registered) {
                evict(block);
            }
            block.references = 1;
            owned.add(block);
        }
    }

    /** Puts the full blocks {@code first} to {@code end} (exclusive) of a sequence into the cache. */
    void register(TokenSequence sequence, List<Block> owned, int first, int end) {
        if (first >= end) {
            return;
        }
        for (int i = first; i < end; i++) {
            Block block = owned.get(i);
            assert !block.registered && block.references > 0;
            block.registered = true;
            block.hash = sequence.hash(i);
            Block copies = cached.get(block.hash);
            if (copies == null) {
                cached.put(block.hash, block);
            } else {
                block.nextCopy = copies.nextCopy;
                copies.nextCopy = block;
            }
        }
        listener.stored(sequence, first, end);
    }

    /** Removes a user from each block, last block first; those without users join the tail of the free queue. */
    void release(List<Block> owned) {
        for (int i = owned.size() - 1; i >= 0; i--) {
            Block block = owned.get(i);
            assert block.references > 0;
            if (--block.references == 0) {
                free.append(block);
            }
        }
        owned.clear();
    }

    /** Empties the cache; refused, with false, while a request holds blocks. */
    boolean reset() {
        if (usedBlocks() > 0) {
            return false;
        }
        cached.clear();
        for (Block block : blocks) {
            block.registered = false;
            block.nextCopy = null;
        }
        listener.cleared();
        return true;
    }

    private void evict(Block block) {
        Block first = Objects.requireNonNull(cached.get(block.hash));
        if (first == block) {
            if (block.nextCopy == null) {
                cached.remove(block.hash);
            } else {
                cached.put(block.hash, block.nextCopy);
            }
        } else {
            Block before = first;
            while (before.nextCopy != block) {
                before = Objects.requireNonNull(before.nextCopy);
            }
            before.nextCopy = block.nextCopy;
        }
        block.nextCopy = null;
        block.registered = false;
        listener.removed(block.hash);
    }

    int references(int id) {
        return blocks[id].references;
    }

    int[] freeIds() {
        return free.ids();
    }

    /** Distinct hashes in the cache. */
    int cachedHashes() {
        return cached.size();
    }
}
