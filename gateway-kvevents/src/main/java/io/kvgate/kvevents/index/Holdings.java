package io.kvgate.kvevents.index;

import io.kvgate.kvevents.event.CacheTier;
import java.util.HashMap;
import java.util.Map;

/**
 * One source's rows in the tables. A key may be named by two hashes of the source; it is held until both are gone.
 *
 * <p>Threading: the writer.
 */
final class Holdings {
    private final BlockTables tables;
    private final int source;

    /** Keys that several hashes stand for: how many beyond the first, by tier. Nearly always empty. */
    private final Map<Long, int[]> shared = new HashMap<>();

    Holdings(BlockTables tables, int source) {
        this.tables = tables;
        this.source = source;
    }

    /** One more hash of the source stands for the key in this tier. */
    void add(int tokensPerBlock, CacheTier tier, long key) {
        BlockTable table = tables.table(tokensPerBlock, tier);
        if (table.holds(key, source)) {
            shared.computeIfAbsent(key, absent -> new int[BlockTables.TIERS])[tier.index()]++;
        } else {
            table.set(key, source);
        }
    }

    /** One less. */
    void remove(int tokensPerBlock, CacheTier tier, long key) {
        int[] more = shared.get(key);
        if (more != null && more[tier.index()] > 0) {
            more[tier.index()]--;
            if (more[0] + more[1] + more[2] == 0) {
                shared.remove(key);
            }
            return;
        }
        tables.table(tokensPerBlock, tier).clear(key, source);
    }

    /** Keys that several hashes stand for. */
    int sharedKeys() {
        return shared.size();
    }
}
