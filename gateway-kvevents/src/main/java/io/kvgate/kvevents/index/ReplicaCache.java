package io.kvgate.kvevents.index;

import io.kvgate.core.cache.TokenChain;
import io.kvgate.kvevents.event.CacheTier;
import io.kvgate.kvevents.event.KvEvent;
import io.kvgate.kvevents.event.KvEvent.BlockRemoved;
import io.kvgate.kvevents.event.KvEvent.BlockStored;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * One source's picture, made of its events: engine hash → key of our own, and copies by tier. Descendants of a removed block stay, for
 * the engine has them too; a block whose parent is not known waits for it and is never taken for a sequence's first.
 *
 * <p>Threading: the writer.
 */
final class ReplicaCache {
    private static final Set<String> PREFIX_KINDS = Set.of("full_attention", "mla_attention", "sink_full_attention");

    /** What was left out, and why. */
    static final class Counts {
        long nonDense;
        long otherGroup;
        long unknownRemovals;
        long conflicts;
        long uncredited;
    }

    private final TokenChain chain;
    private final int canonicalTokens;
    private final Holdings holdings;
    private final EngineBlocks blocks = new EngineBlocks();
    private final PageRuns pages;
    private final Orphans orphans;
    private final Placeholders placeholders = new Placeholders();
    private final Map<Integer, Boolean> prefixGroups = new HashMap<>();
    private final Counts counts = new Counts();

    ReplicaCache(TokenChain chain, int canonicalTokens, Holdings holdings, OrphanLimits limits) {
        this.chain = chain;
        this.canonicalTokens = canonicalTokens;
        this.holdings = holdings;
        pages = new PageRuns(holdings, canonicalTokens);
        orphans = new Orphans(limits);
    }

    Counts counts() {
        return counts;
    }

    /** Hashes with a copy somewhere. */
    int liveHashes() {
        int[] live = new int[1];
        visit((hash, key, size, copies, tier) -> live[0]++);
        return live[0];
    }

    int orphans() {
        return orphans.size();
    }

    int placeholders() {
        return placeholders.size();
    }

    void visit(EngineBlocks.Visitor visitor) {
        blocks.visit(visitor);
        pages.visit(visitor);
    }

    void apply(KvEvent event, long nowNanos) {
        if (event instanceof BlockStored stored) {
            stored(stored, nowNanos);
        } else if (event instanceof BlockRemoved removed) {
            removed(removed);
        } else {
            clear();
        }
    }

    /** Empties the picture: everything, in all tiers, and what waited. */
    void clear() {
        blocks.visit((hash, key, size, copies, tier) -> holdings.remove(size, CacheTier.ofIndex(tier), key));
        blocks.clear();
        pages.clear();
        orphans.clear();
        placeholders.clear();
        prefixGroups.clear();
    }

    // ------------------------------------------------------------- stores

    private void stored(BlockStored event, long nowNanos) {
        if (!isPrefixGroup(event)) {
            counts.otherGroup++;
            return;
        }
        if (event.tier() == CacheTier.NONE) {
            counts.uncredited++;
            return;
        }
        if (event.isPlaceholder()) {
            placeholder(event);
            return;
        }
        if (!isDense(event)) {
            counts.nonDense++;
            return;
        }
        orphans.expire(nowNanos);
        Deque<BlockStored> ready = new ArrayDeque<>();
        ready.add(event);
        while (!ready.isEmpty()) {
            BlockStored next = ready.remove();
            if (!store(next, ready)) {
                orphans.add(next, nowNanos);
            }
        }
    }

    /** A bigram engine tells one token more than its blocks hold. */
    private static boolean isDense(BlockStored event) {
        long held = (long) event.hashes().length * event.blockSize();
        return event.isDense() || (event.blockSize() > 0 && held + 1 == event.tokens().length);
    }

    private boolean isPrefixGroup(BlockStored event) {
        if (event.kind() != null) {
            boolean prefix = PREFIX_KINDS.contains(event.kind().toLowerCase(Locale.ROOT));
            prefixGroups.put(event.group(), prefix);
            return prefix;
        }
        return isPrefixGroup(event.group());
    }

    /** A group that has not told its kind: the first is taken for full attention, others are not. */
    private boolean isPrefixGroup(int group) {
        return prefixGroups.getOrDefault(group, group <= 0);
    }

    /** @return false if the parent is not known */
    private boolean store(BlockStored event, Deque<BlockStored> ready) {
        int size = event.blockSize();
        boolean paged = isPage(size);
        long key;
        int parentPage = -1;
        if (!event.hasParent() || isRootByZero(event)) {
            key = chain.root(event.loraName(), event.salt());
        } else {
            parentPage = pages.find(event.parent());
            int parentSlot = parentPage >= 0 ? -1 : blocks.find(event.parent());
            if (parentPage < 0 && parentSlot < 0) {
                return false;
            }
            key = parentPage >= 0 ? pages.keyAt(parentPage) : blocks.keyAt(parentSlot);
        }
        long[] extras = event.extras();
        for (int i = 0; i < event.hashes().length; i++) {
            key = chain.next(key, event.tokens(), i * size, (i + 1) * size);
            if (extras != null) {
                key = chain.withExtra(key, extras[i]);
            }
            long hash = event.hashes()[i];
            if (paged) {
                parentPage = storePage(hash, key, parentPage, size, event.tier());
            } else {
                storeBlock(hash, key, size, event.tier());
            }
            resolve(hash, ready);
        }
        return true;
    }

    /** Some publishers write 0 for "no parent". */
    private boolean isRootByZero(BlockStored event) {
        return event.parent() == 0 && blocks.find(0) < 0 && pages.find(0) < 0;
    }

    private void storeBlock(long hash, long key, int size, CacheTier tier) {
        int slot = blocks.find(hash);
        if (slot < 0) {
            blocks.put(hash, key, size, tier.index());
            holdings.add(size, tier, key);
            return;
        }
        if (blocks.keyAt(slot) != key) {
            counts.conflicts++;
        }
        if (blocks.copiesAt(slot, tier.index()) == 0) {
            holdings.add(blocks.tokensPerBlockAt(slot), tier, blocks.keyAt(slot));
        }
        blocks.increment(slot, tier.index());
    }

    private int storePage(long hash, long key, int parentPage, int size, CacheTier tier) {
        int page = pages.find(hash);
        if (page < 0) {
            page = pages.place(hash, key, parentPage, size);
        } else if (pages.keyAt(page) != key) {
            counts.conflicts++;
        }
        pages.increment(page, tier.index());
        return page;
    }

    /** The hash is known now: what waited for it can go on. */
    private void resolve(long hash, Deque<BlockStored> ready) {
        if (!orphans.isEmpty()) {
            ready.addAll(orphans.takeChildren(hash));
        }
        if (placeholders.size() > 0) {
            for (CacheTier waiting : placeholders.take(hash)) {
                addCopy(hash, waiting);
            }
        }
    }

    private void placeholder(BlockStored event) {
        for (long hash : event.hashes()) {
            if (!addCopy(hash, event.tier())) {
                placeholders.add(hash, event.tier());
            }
        }
    }

    private boolean addCopy(long hash, CacheTier tier) {
        int page = pages.find(hash);
        if (page >= 0) {
            pages.increment(page, tier.index());
            return true;
        }
        int slot = blocks.find(hash);
        if (slot >= 0) {
            storeBlock(hash, blocks.keyAt(slot), blocks.tokensPerBlockAt(slot), tier);
        }
        return slot >= 0;
    }

    // ------------------------------------------------------------- removals

    private void removed(BlockRemoved event) {
        if (!isPrefixGroup(event.group()) || event.tier() == CacheTier.NONE) {
            return;
        }
        for (long hash : event.hashes()) {
            if (!removeCopy(hash, event.tier()) && !orphans.remove(hash) && !placeholders.remove(hash, event.tier())) {
                counts.unknownRemovals++;
            }
        }
    }

    private boolean removeCopy(long hash, CacheTier tier) {
        int page = pages.find(hash);
        if (page >= 0) {
            if (pages.copiesAt(page, tier.index()) == 0) {
                return false;
            }
            pages.decrement(page, tier.index());
            return true;
        }
        int slot = blocks.find(hash);
        if (slot < 0 || blocks.copiesAt(slot, tier.index()) == 0) {
            return false;
        }
        if (blocks.copiesAt(slot, tier.index()) == 1) {
            holdings.remove(blocks.tokensPerBlockAt(slot), tier, blocks.keyAt(slot));
        }
        blocks.decrement(slot, tier.index());
        return true;
    }

    private boolean isPage(int size) {
        return size < canonicalTokens && canonicalTokens % size == 0;
    }

    /** Blocks that wait, as they would be stored. For tests. */
    List<BlockStored> waiting() {
        return new ArrayList<>(orphans.all());
    }
}
