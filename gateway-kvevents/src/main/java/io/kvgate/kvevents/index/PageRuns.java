package io.kvgate.kvevents.index;

import io.kvgate.kvevents.event.CacheTier;
import java.util.Arrays;

/**
 * Pages smaller than a canonical block, folded into canonical blocks: a block is held while all its pages are. Pages know the page
 * before them in their block and those behind, since one page may begin several blocks.
 *
 * <p>A page that is gone is kept as an empty place while pages behind it are there, so that a later store closes the gap.
 *
 * <p>Threading: the writer.
 */
final class PageRuns {
    private static final int NONE = -1;
    private static final int FIRST_CAPACITY = 64;

    private final Holdings holdings;
    private final int canonicalTokens;
    private final LongIndex byHash = new LongIndex();

    private long[] hashes = new long[FIRST_CAPACITY];
    private long[] keys = new long[FIRST_CAPACITY];
    private int[] before = new int[FIRST_CAPACITY];
    private int[] firstBehind = new int[FIRST_CAPACITY];
    private int[] nextBeside = new int[FIRST_CAPACITY];
    /** Tokens of the canonical block up to the end of this page; the canonical size at the block's last page. */
    private int[] tokensInto = new int[FIRST_CAPACITY];

    private int[] pageSizes = new int[FIRST_CAPACITY];
    private int[] copies = new int[FIRST_CAPACITY * BlockTables.TIERS];
    private byte[] shown = new byte[FIRST_CAPACITY];
    private int end;
    private int freeHead = NONE;

    PageRuns(Holdings holdings, int canonicalTokens) {
        this.holdings = holdings;
        this.canonicalTokens = canonicalTokens;
    }

    int size() {
        return byHash.size();
    }

    /** The place of a page, or −1. */
    int find(long hash) {
        return byHash.get(hash);
    }

    long keyAt(int page) {
        return keys[page];
    }

    int pageSizeAt(int page) {
        return pageSizes[page];
    }

    int copiesAt(int page, int tier) {
        return copies[page * BlockTables.TIERS + tier];
    }

    /** Whether any copy is there: a place may be empty. */
    boolean isPresent(int page) {
        int at = page * BlockTables.TIERS;
        return copies[at] + copies[at + 1] + copies[at + 2] > 0;
    }

    /**
     * Makes an empty place for a page that {@link #find} has not found.
     *
     * @param parent the page before it, or −1 at a sequence's start
     */
    int place(long hash, long key, int parent, int pageSize) {
        int page = allocate();
        hashes[page] = hash;
        keys[page] = key;
        pageSizes[page] = pageSize;
        boolean begins = parent == NONE || tokensInto[parent] >= canonicalTokens;
        before[page] = begins ? NONE : parent;
        tokensInto[page] = (begins ? 0 : tokensInto[parent]) + pageSize;
        firstBehind[page] = NONE;
        nextBeside[page] = NONE;
        shown[page] = 0;
        Arrays.fill(copies, page * BlockTables.TIERS, (page + 1) * BlockTables.TIERS, 0);
        if (!begins) {
            nextBeside[page] = firstBehind[parent];
            firstBehind[parent] = page;
        }
        byHash.put(hash, page);
        return page;
    }

    void increment(int page, int tier) {
        copies[page * BlockTables.TIERS + tier]++;
        refreshFrom(page);
    }

    /** One copy less of at least one. */
    void decrement(int page, int tier) {
        copies[page * BlockTables.TIERS + tier]--;
        refreshFrom(page);
        release(page);
    }

    /** Forgets every page, and hides every block. */
    void clear() {
        for (int page = 0; page < end; page++) {
            if (byHash.get(hashes[page]) == page && shown[page] != 0) {
                holdings.remove(canonicalTokens, CacheTier.ofIndex(shown[page] - 1), keys[page]);
            }
        }
        byHash.clear();
        end = 0;
        freeHead = NONE;
    }

    void visit(EngineBlocks.Visitor visitor) {
        for (int page = 0; page < end; page++) {
            for (int tier = 0; tier < BlockTables.TIERS; tier++) {
                if (byHash.get(hashes[page]) == page && copiesAt(page, tier) > 0) {
                    visitor.visit(hashes[page], keys[page], pageSizes[page], copiesAt(page, tier), tier);
                }
            }
        }
    }

    /** Shows or hides every block that this page is part of; iterative, over the pages behind it within the block. */
    private void refreshFrom(int start) {
        int page = start;
        while (true) {
            if (tokensInto[page] == canonicalTokens) {
                refreshBlock(page);
            }
            if (firstBehind[page] != NONE) {
                page = firstBehind[page];
                continue;
            }
            while (page != start && nextBeside[page] == NONE) {
                page = before[page];
            }
            if (page == start) {
                return;
            }
            page = nextBeside[page];
        }
    }

    /** A block counts in the slowest tier that one of its pages has to come from. */
    private void refreshBlock(int last) {
        int tier = 0;
        for (int page = last; page != NONE && tier < BlockTables.TIERS; page = before[page]) {
            tier = Math.max(tier, bestTier(page));
        }
        byte now = (byte) (tier < BlockTables.TIERS ? tier + 1 : 0);
        byte was = shown[last];
        if (now != was) {
            shown[last] = now;
            if (was != 0) {
                holdings.remove(canonicalTokens, CacheTier.ofIndex(was - 1), keys[last]);
            }
            if (now != 0) {
                holdings.add(canonicalTokens, CacheTier.ofIndex(now - 1), keys[last]);
            }
        }
    }

    private int bestTier(int page) {
        int tier = 0;
        while (tier < BlockTables.TIERS && copiesAt(page, tier) == 0) {
            tier++;
        }
        return tier;
    }

    /** Gives up empty places that nothing stands behind, backwards through the block. */
    private void release(int from) {
        int page = from;
        while (page != NONE && !isPresent(page) && firstBehind[page] == NONE) {
            int previous = before[page];
            if (previous != NONE) {
                unlink(previous, page);
            }
            byHash.remove(hashes[page]);
            nextBeside[page] = freeHead;
            freeHead = page;
            page = previous;
        }
    }

    private void unlink(int parent, int page) {
        if (firstBehind[parent] == page) {
            firstBehind[parent] = nextBeside[page];
            return;
        }
        int sibling = firstBehind[parent];
        while (nextBeside[sibling] != page) {
            sibling = nextBeside[sibling];
        }
        nextBeside[sibling] = nextBeside[page];
    }

    private int allocate() {
        if (freeHead != NONE) {
            int page = freeHead;
            freeHead = nextBeside[page];
            return page;
        }
        if (end == hashes.length) {
            int capacity = end * 2;
            hashes = Arrays.copyOf(hashes, capacity);
            keys = Arrays.copyOf(keys, capacity);
            before = Arrays.copyOf(before, capacity);
            firstBehind = Arrays.copyOf(firstBehind, capacity);
            nextBeside = Arrays.copyOf(nextBeside, capacity);
            tokensInto = Arrays.copyOf(tokensInto, capacity);
            pageSizes = Arrays.copyOf(pageSizes, capacity);
            copies = Arrays.copyOf(copies, capacity * BlockTables.TIERS);
            shown = Arrays.copyOf(shown, capacity);
        }
        return end++;
    }
}
