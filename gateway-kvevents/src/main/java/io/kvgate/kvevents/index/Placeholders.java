package io.kvgate.kvevents.index;

import io.kvgate.kvevents.event.CacheTier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies that were told by hash alone, before the hash was known. Bounded; the oldest are forgotten first.
 *
 * <p>Threading: the writer.
 */
final class Placeholders {
    private static final int MAX_HASHES = 65_536;

    private final Map<Long, List<CacheTier>> byHash = new LinkedHashMap<>();

    int size() {
        return byHash.size();
    }

    void add(long hash, CacheTier tier) {
        if (byHash.size() == MAX_HASHES && !byHash.containsKey(hash)) {
            byHash.remove(byHash.keySet().iterator().next());
        }
        List<CacheTier> tiers = byHash.computeIfAbsent(hash, absent -> new ArrayList<>(1));
        if (tiers.size() < EngineBlocks.MAX_COPIES) {
            tiers.add(tier);
        }
    }

    /** The copies told so far; they are forgotten. */
    List<CacheTier> take(long hash) {
        List<CacheTier> tiers = byHash.remove(hash);
        return tiers == null ? List.of() : tiers;
    }

    /** @return whether such a copy was told */
    boolean remove(long hash, CacheTier tier) {
        List<CacheTier> tiers = byHash.get(hash);
        if (tiers == null || !tiers.remove(tier)) {
            return false;
        }
        if (tiers.isEmpty()) {
            byHash.remove(hash);
        }
        return true;
    }

    void clear() {
        byHash.clear();
    }
}
