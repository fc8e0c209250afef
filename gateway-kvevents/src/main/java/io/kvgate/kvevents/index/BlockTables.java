package io.kvgate.kvevents.index;

import io.kvgate.kvevents.event.CacheTier;
import java.util.ArrayList;
import java.util.List;

/**
 * The tables of all block sizes and tiers that occur: one size and one tier in most fleets.
 *
 * <p>Threading: one writer; readers take the list once per question.
 */
final class BlockTables {
    /** Tiers that earn credit, best first. */
    static final int TIERS = 3;

    /**
     * Tables of one block size.
     *
     * @param tokensPerBlock tokens from one key to the next
     * @param byTier device, host, storage
     */
    record OfSize(int tokensPerBlock, List<BlockTable> byTier) {}

    private volatile List<OfSize> sizes = List.of();
    private int words = 1;

    List<OfSize> sizes() {
        return sizes;
    }

    BlockTable table(int tokensPerBlock, CacheTier tier) {
        for (OfSize size : sizes) {
            if (size.tokensPerBlock == tokensPerBlock) {
                return size.byTier.get(tier.index());
            }
        }
        List<BlockTable> tiers = new ArrayList<>();
        for (int i = 0; i < TIERS; i++) {
            tiers.add(new BlockTable(words));
        }
        List<OfSize> more = new ArrayList<>(sizes);
        more.add(new OfSize(tokensPerBlock, List.copyOf(tiers)));
        sizes = List.copyOf(more);
        return tiers.get(tier.index());
    }

    /** Makes room for a source of this number. */
    void ensure(int source) {
        if (source >> 6 < words) {
            return;
        }
        words = (source >> 6) + 1;
        for (OfSize size : sizes) {
            size.byTier.forEach(table -> table.widen(words));
        }
    }

    /** Keys that some source holds, in all tables. */
    long live() {
        return sizes.stream()
                .flatMap(size -> size.byTier.stream())
                .mapToLong(BlockTable::live)
                .sum();
    }
}
