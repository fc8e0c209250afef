package io.kvgate.kvevents.index;

import io.kvgate.core.cache.CacheTrust;
import io.kvgate.core.cache.OverlapScores;
import io.kvgate.core.cache.PrefixCacheView;
import io.kvgate.core.cache.PrefixQuery;
import io.kvgate.core.cache.TokenChain;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerId;
import io.kvgate.kvevents.BatchSink;
import io.kvgate.kvevents.SourceId;
import io.kvgate.kvevents.event.KvEvent;
import io.kvgate.kvevents.event.KvEventBatch;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pictures of all sources in one index, so that one walk along a prompt's blocks tells how much of it each worker holds.
 *
 * <p>Threading: {@link PrefixCacheView}'s methods from any thread, without locks. {@link BatchSink}'s from one thread.
 */
public final class KvBlockIndex implements BatchSink, PrefixCacheView {
    /** Blocks that smaller pages are folded into, in tokens. */
    public static final int DEFAULT_CANONICAL_TOKENS = 16;

    /** One source as readers see it. */
    private static final class Source {
        private final SourceId id;
        private final int number;
        private final ReplicaCache cache;
        private volatile CacheTrust trust = CacheTrust.NONE;

        Source(SourceId id, int number, ReplicaCache cache) {
            this.id = id;
            this.number = number;
            this.cache = cache;
        }
    }

    private final TokenChain chain;
    private final int canonicalTokens;
    private final OrphanLimits orphanLimits;
    private final BlockTables tables = new BlockTables();
    private final BitSet numbers = new BitSet();
    private final Map<SourceId, Source> sources = new HashMap<>();

    /** Sources of each worker; replaced as a whole. */
    private volatile Map<WorkerId, Source[]> byWorker = Map.of();

    public KvBlockIndex(TokenChain chain) {
        this(chain, DEFAULT_CANONICAL_TOKENS, OrphanLimits.DEFAULT);
    }

    /** @param canonicalTokens smaller pages that divide it are folded into blocks of this size; at least 1 */
    public KvBlockIndex(TokenChain chain, int canonicalTokens, OrphanLimits orphanLimits) {
        if (canonicalTokens < 1) {
            throw new IllegalArgumentException("canonicalTokens: " + canonicalTokens + " (expected: >= 1)");
        }
        this.chain = chain;
        this.canonicalTokens = canonicalTokens;
        this.orphanLimits = orphanLimits;
    }

    // ------------------------------------------------------------- the writer

    @Override
    public void add(SourceId id) {
        if (sources.containsKey(id)) {
            return;
        }
        int number = numbers.nextClearBit(0);
        numbers.set(number);
        tables.ensure(number);
        ReplicaCache cache = new ReplicaCache(chain, canonicalTokens, new Holdings(tables, number), orphanLimits);
        sources.put(id, new Source(id, number, cache));
        publish(id.worker());
    }

    @Override
    public void apply(SourceId id, KvEventBatch batch, long nowNanos) {
        Source source = sources.get(id);
        if (source == null) {
            return;
        }
        List<KvEvent> events = batch.events();
        for (int i = 0; i < events.size(); i++) {
            source.cache.apply(events.get(i), nowNanos);
        }
    }

    @Override
    public void clear(SourceId id) {
        Source source = sources.get(id);
        if (source != null) {
            source.cache.clear();
        }
    }

    @Override
    public void trust(SourceId id, CacheTrust trust) {
        Source source = sources.get(id);
        if (source != null) {
            source.trust = trust;
        }
    }

    @Override
    public void remove(SourceId id) {
        Source source = sources.remove(id);
        if (source == null) {
            return;
        }
        publish(id.worker());
        source.cache.clear();
        numbers.clear(source.number);
    }

    private void publish(WorkerId worker) {
        List<Source> ofWorker = new ArrayList<>();
        for (Source source : sources.values()) {
            if (source.id.worker().equals(worker)) {
                ofWorker.add(source);
            }
        }
        Map<WorkerId, Source[]> next = new HashMap<>(byWorker);
        if (ofWorker.isEmpty()) {
            next.remove(worker);
        } else {
            next.put(worker, ofWorker.toArray(new Source[0]));
        }
        byWorker = next;
    }

    /** Calls the visitor with every hash that a source holds. The writer's thread. @return false: no such source */
    public boolean visit(SourceId id, EngineBlocks.Visitor visitor) {
        Source source = sources.get(id);
        if (source == null) {
            return false;
        }
        source.cache.visit(visitor);
        return true;
    }

    /** What a source holds, for tests and the debug page; null: no such source. The writer's thread. */
    @Nullable
    ReplicaCache cache(SourceId id) {
        Source source = sources.get(id);
        return source == null ? null : source.cache;
    }

    /** Keys that some source holds. The writer's thread. */
    public long liveKeys() {
        return tables.live();
    }

    // ------------------------------------------------------------- readers

    @Override
    public CacheTrust trust(Worker worker) {
        Source[] ofWorker = byWorker.get(worker.id());
        CacheTrust least = ofWorker == null ? CacheTrust.NONE : CacheTrust.EXACT;
        for (int i = 0; ofWorker != null && i < ofWorker.length; i++) {
            least = least.compareTo(ofWorker[i].trust) >= 0 ? least : ofWorker[i].trust;
        }
        return least;
    }

    @Override
    public void match(PrefixQuery query, Worker[] workers, int count, OverlapScores scores) {
        scores.reset(count);
        Map<WorkerId, Source[]> current = byWorker;
        if (current.isEmpty() || query.tokenCount() < 2) {
            return;
        }
        long root = chain.root(query.lora(), query.salt());
        List<BlockTables.OfSize> sizes = tables.sizes();
        for (int i = 0; i < sizes.size(); i++) {
            PrefixWalk walk = new PrefixWalk(sizes.get(i), scores);
            for (int w = 0; w < count; w++) {
                Source[] ofWorker = current.get(workers[w].id());
                for (int s = 0; ofWorker != null && s < ofWorker.length; s++) {
                    walk.ask(ofWorker[s].number);
                }
            }
            walk.along(chain, root, query);
            for (int w = 0; w < count; w++) {
                Source[] ofWorker = current.get(workers[w].id());
                for (int s = 0; ofWorker != null && s < ofWorker.length; s++) {
                    walk.tell(ofWorker[s].number, w);
                }
            }
        }
        for (int w = 0; w < count; w++) {
            scores.trust(w, trust(workers[w]));
        }
    }
}
