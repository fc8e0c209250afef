package io.kvgate.kvevents.index;

import io.kvgate.core.cache.OverlapScores;
import io.kvgate.core.cache.PrefixQuery;
import io.kvgate.core.cache.TokenChain;

/**
 * One walk along a prompt's blocks of one size: all sources asked about go together, each leaves at the first block it doesn't hold, and
 * the walk ends when none is left.
 *
 * <p>Threading: confined to the asking thread.
 */
final class PrefixWalk {
    private static final int DEVICE = 0;
    private static final int HOST = 1;
    private static final int STORAGE = 2;

    private final int tokensPerBlock;
    private final BlockTable.Slots[] tiers = new BlockTable.Slots[BlockTables.TIERS];
    private final OverlapScores scores;
    private final long[] asked;
    private final int[] blocks;

    PrefixWalk(BlockTables.OfSize tables, OverlapScores scores) {
        this.scores = scores;
        tokensPerBlock = tables.tokensPerBlock();
        int words = Integer.MAX_VALUE;
        for (int tier = 0; tier < tiers.length; tier++) {
            tiers[tier] = tables.byTier().get(tier).slots();
            words = Math.min(words, tiers[tier].words());
        }
        asked = new long[words];
        // Per source: blocks in all, and blocks that only a slower tier has.
        blocks = scores.scratch(words * Long.SIZE * 2);
    }

    void ask(int source) {
        if (source >> 6 < asked.length) {
            asked[source >> 6] |= 1L << source;
        }
    }

    void along(TokenChain chain, long root, PrefixQuery query) {
        int mayReuse = (query.tokenCount() - 1) / tokensPerBlock;
        long[] active = asked.clone();
        long key = root;
        int block = 0;
        for (; block < mayReuse && any(active); block++) {
            key = chain.next(key, query.tokenIds(), block * tokensPerBlock, (block + 1) * tokensPerBlock);
            step(key, block, active);
        }
        for (int word = 0; word < active.length; word++) {
            leave(word, active[word], block);
        }
    }

    private void step(long key, int block, long[] active) {
        int device = tiers[DEVICE].find(key);
        int host = tiers[HOST].find(key);
        int storage = tiers[STORAGE].find(key);
        for (int word = 0; word < active.length; word++) {
            long fast = device < 0 ? 0 : tiers[DEVICE].bits(device, word);
            long slow = (host < 0 ? 0 : tiers[HOST].bits(host, word))
                    | (storage < 0 ? 0 : tiers[STORAGE].bits(storage, word));
            leave(word, active[word] & ~(fast | slow), block);
            active[word] &= fast | slow;
            for (long left = active[word] & ~fast; left != 0; left &= left - 1) {
                blocks[2 * ((word << 6) + Long.numberOfTrailingZeros(left)) + 1]++;
            }
        }
    }

    private void leave(int word, long leaving, int held) {
        for (long left = leaving; left != 0; left &= left - 1) {
            blocks[2 * ((word << 6) + Long.numberOfTrailingZeros(left))] = held;
        }
    }

    private static boolean any(long[] active) {
        long all = 0;
        for (long word : active) {
            all |= word;
        }
        return all != 0;
    }

    /** Notes the source's result for a worker, if it is the best so far. */
    void tell(int source, int worker) {
        if (source >> 6 >= asked.length) {
            return;
        }
        int held = blocks[2 * source] * tokensPerBlock;
        int slow = blocks[2 * source + 1] * tokensPerBlock;
        if (held > scores.tokens(worker)) {
            scores.set(worker, held - slow, slow);
        }
    }
}
