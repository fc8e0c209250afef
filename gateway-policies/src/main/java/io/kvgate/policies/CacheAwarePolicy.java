package io.kvgate.policies;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.policies.radix.PrefixMatch;
import io.kvgate.policies.radix.RadixTree;
import io.kvgate.policies.radix.TreeSweep;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The worker that was sent the longest common prefix, as long as what its cache saves is worth more than the wait there; else the least
 * loaded. What is where is not asked of the engines: it is believed from what was sent.
 *
 * <p>Threading: {@link #select} from any thread, {@link #onWorkerRemoved} from any thread, {@link #maintain} by one thread.
 */
final class CacheAwarePolicy implements LoadBalancingPolicy {
    /*
     * A match of m characters is a promise that a worker need not compute them. It is kept at a price: the requests that the
     * holder has in flight beyond those of the least loaded worker, its gap, some of which have prefill of their own ahead. A
     * request brings u characters of that on average, and about a quarter of those in flight have not done it yet; the others
     * decode. So the prefix decides while
     *
     *     m > gap · u / 4
     *
     * and while the match is worth anything at all: a share of the prompt over cacheThreshold, as in the reference, or
     * savedCharacters at least, so that a long unique end doesn't hide a long shared beginning.
     *
     * u is the mean of what no worker had seen of each prompt, wherever the request went. It must not be what the chosen worker had
     * to compute: that grows with each request sent elsewhere, so the rule would send even more elsewhere and never come
     * back. For the same reason the quarter is not a whole: near its limit a fleet always has gaps, and one that leaves prefixes for small
     * ones computes them again everywhere, which widens the gaps. docs/policies/cache_aware.md has the figures. Before anything is known, u is the first prompt's length; nothing matches yet, so nothing is decided by it. Of short prompts
     * u is at least 256 characters: a match shorter than 64 is worth no wait, and with equal loads (gap 0) still decides.
     *
     * A prefix that everybody sends is thus not stuck to one worker. Once its holder is 4 m / u requests ahead, a request spills to the
     * least loaded, which holds the prefix from then on. Among holders the least loaded is taken, so the prefix spreads to as many as its
     * traffic needs and no further. A spilled conversation goes to a worker that holds a shorter part of it (the common system
     * prompt, say), if one does and is not too busy itself.
     *
     * With savedCharacters 0 all this is off: the share alone decides and the holder that was first answers, as in the reference.
     */

    /** Why a choice fell; the reason is the name in lower case. */
    private enum Branch {
        /** The match is a large share of the prompt. */
        CACHE_HIT,
        /** The share is small, the match is long. */
        SAVED_WORK,
        /** The holders of the whole match were too busy or gone; this one holds a part of it. */
        SHORTER_MATCH,
        /** No match that counts. */
        COLD,
        /** The wait at the holders would cost more than they save. */
        HOLDER_BUSY,
        /** The holders are no candidates. */
        STALE_OWNER,
        /** Loads are too uneven for prefixes to count. */
        IMBALANCED,
        NO_TEXT,
        ONLY_CANDIDATE;

        private final String reason = name().toLowerCase(Locale.ROOT);
    }

    /** A worker, and why. */
    private record Choice(Worker worker, Branch branch) {}

    private record Departure(Worker worker, long atNanos) {}

    /** Per worker whose engine doesn't tell the size of its KV pool: a million tokens, two to ten times what one replica holds. */
    static final long DEFAULT_TREE_CHARACTERS = 4_194_304;

    /** English and code; other scripts have fewer, so the tree believes in a little too much there. */
    static final long CHARACTERS_PER_TOKEN = 4;

    /** A selection that saw the worker just before it left has ended by then. */
    private static final long LATE_NANOS = 1_000_000_000L;

    private static final long MAINTENANCE_NANOS = 20_000_000L;
    private static final int SWEEP_STEP = 1_000;

    /** Of holders that are candidates; more are not looked at, so a choice doesn't cost holders times candidates. */
    private static final int HOLDERS_COMPARED = 8;

    /** Share of the requests in flight whose prefill is still to be done. */
    private static final double NOT_PREFILLED = 0.25;

    private static final int SHORTER_MATCHES_TRIED = 4;

    private final PolicyConfig.CacheAware config;
    private final RandomGenerator random;
    private final Ticker ticker;
    private final LoadEstimate estimate;
    private final RadixTree tree;
    private final UncachedWork work = new UncachedWork();
    private final Map<Branch, MetricsRegistry.Counter> branches = new EnumMap<>(Branch.class);
    private final MetricsRegistry.Counter skipped;
    private final ConcurrentLinkedQueue<Worker> removed = new ConcurrentLinkedQueue<>();

    /** The three below: maintenance thread only. */
    private final ArrayDeque<Departure> departures = new ArrayDeque<>();

    private @Nullable TreeSweep sweep;
    private long sweptAtNanos;

    CacheAwarePolicy(PolicyConfig.CacheAware config, PolicyServices services) {
        this.config = config;
        random = services.random();
        ticker = services.ticker();
        estimate = new LoadEstimate(config.loadMaxAge(), ticker);
        tree = new RadixTree(services.trees(), this::budget);
        for (Branch branch : Branch.values()) {
            branches.put(branch, services.metrics().counter(GatewayMeter.CACHE_AWARE_BRANCH, branch.reason));
        }
        skipped = services.metrics().counter(GatewayMeter.CACHE_AWARE_SKIPPED);
        sweptAtNanos = ticker.nanos();
    }

    @Override
    public String name() {
        return PolicyConfig.CacheAware.NAME;
    }

    @Override
    public boolean needsPrompt() {
        return true;
    }

    /** What this pool's workers were sent. */
    RadixTree tree() {
        return tree;
    }

    @Override
    public @Nullable Worker select(Candidates candidates, SelectionContext context) {
        if (candidates.isEmpty()) {
            return null;
        }
        Prompt prompt = context.prompt();
        Choice choice;
        if (prompt.hasText()) {
            PrefixMatch match = tree.match(prompt);
            work.add(match.totalCharacters() - match.matchedCharacters());
            choice = candidates.size() == 1
                    ? new Choice(candidates.get(0), Branch.ONLY_CANDIDATE)
                    : choose(candidates, match);
            if (!tree.insert(match, prompt, choice.worker)) {
                skipped.increment();
            }
        } else {
            choice = new Choice(new LoadSpread(candidates, estimate).leastLoaded(random), Branch.NO_TEXT);
        }
        context.reason(choice.branch.reason);
        count(choice.branch);
        return choice.worker;
    }

    private void count(Branch branch) {
        MetricsRegistry.Counter counter = branches.get(branch);
        if (counter != null) {
            counter.increment();
        }
    }

    private Choice choose(Candidates candidates, PrefixMatch match) {
        LoadSpread loads = new LoadSpread(candidates, estimate);
        if (imbalanced(loads)) {
            return new Choice(loads.leastLoaded(random), Branch.IMBALANCED);
        }
        return config.savedCharacters() == 0 ? byShare(candidates, match, loads) : byWork(candidates, match, loads);
    }

    /** In 32-bit floats, as the reference compares. */
    private boolean imbalanced(LoadSpread loads) {
        return loads.most() - loads.least() > config.balanceAbsThreshold()
                && (float) loads.most() > (float) loads.least() * (float) config.balanceRelThreshold();
    }

    /** In 32-bit floats, as the reference compares. */
    private boolean isLargeShare(PrefixMatch match) {
        int total = match.totalCharacters();
        return total > 0 && (float) match.matchedCharacters() / (float) total > (float) config.cacheThreshold();
    }

    private Choice byShare(Candidates candidates, PrefixMatch match, LoadSpread loads) {
        if (!isLargeShare(match)) {
            return new Choice(loads.leastLoaded(random), Branch.COLD);
        }
        Worker owner = match.owner();
        return owner != null && candidates.contains(owner)
                ? new Choice(owner, Branch.CACHE_HIT)
                : new Choice(loads.leastLoaded(random), Branch.STALE_OWNER);
    }

    private Choice byWork(Candidates candidates, PrefixMatch match, LoadSpread loads) {
        Branch otherwise = Branch.COLD;
        boolean whole = true;
        for (int tries = 0; tries <= SHORTER_MATCHES_TRIED; tries++) {
            boolean large = isLargeShare(match);
            if (!large && match.matchedCharacters() < config.savedCharacters()) {
                break;
            }
            Worker holder = leastLoadedHolder(candidates, match, loads);
            if (holder != null && match.matchedCharacters() > waiting(loads.of(holder) - loads.least())) {
                return new Choice(holder, whole ? large ? Branch.CACHE_HIT : Branch.SAVED_WORK : Branch.SHORTER_MATCH);
            }
            otherwise = holder != null || otherwise == Branch.HOLDER_BUSY ? Branch.HOLDER_BUSY : Branch.STALE_OWNER;
            whole = false;
            if (!match.widen()) {
                break;
            }
        }
        return new Choice(loads.leastLoaded(random), otherwise);
    }

    /** Characters of prefill that a gap in requests stands for. */
    private double waiting(double gap) {
        return gap * work.perRequest() * NOT_PREFILLED;
    }

    /** Of the match's holders that are candidates; among equals chance decides. Null: none is. */
    private @Nullable Worker leastLoadedHolder(Candidates candidates, PrefixMatch match, LoadSpread loads) {
        int holders = match.ownerCount();
        if (holders == 0) {
            return null;
        }
        Worker best = null;
        double least = Double.POSITIVE_INFINITY;
        int equals = 0;
        int compared = 0;
        int offset = holders > HOLDERS_COMPARED ? random.nextInt(holders) : 0;
        for (int i = 0; i < holders && compared < HOLDERS_COMPARED; i++) {
            Worker holder = match.owner((i + offset) % holders);
            if (!candidates.contains(holder)) {
                continue;
            }
            compared++;
            double load = loads.of(holder);
            equals = load < least ? 1 : load == least ? equals + 1 : equals;
            if (load < least || (load == least && random.nextInt(equals) == 0)) {
                best = holder;
                least = load;
            }
        }
        return best;
    }

    /** Characters to keep for a worker. Read when needed, since an engine tells late what it can hold. */
    private long budget(Worker worker) {
        if (config.maxTreeCharacters() > 0) {
            return config.maxTreeCharacters();
        }
        long tokens = worker.metadata().kvPoolTokens();
        return tokens > 0
                ? Math.min(tokens, Long.MAX_VALUE / 8 / CHARACTERS_PER_TOKEN) * CHARACTERS_PER_TOKEN
                : DEFAULT_TREE_CHARACTERS;
    }

    @Override
    public void onWorkerRemoved(Worker worker) {
        tree.remove(worker);
        removed.add(worker);
    }

    @Override
    public void onDropped() {
        tree.retire();
    }

    @Override
    public void maintain() {
        long nowNanos = ticker.nanos();
        forgetAgain(nowNanos);
        boolean due = nowNanos - sweptAtNanos >= Ticker.saturatedNanos(config.evictionInterval());
        TreeSweep current = sweep;
        if (current == null && (due || tree.sweepWanted())) {
            current = tree.sweep();
            sweptAtNanos = nowNanos;
        }
        while (current != null && ticker.nanos() - nowNanos < MAINTENANCE_NANOS) {
            current = current.step(SWEEP_STEP) ? current : null;
        }
        sweep = current;
    }

    /** What a selection that was under way noted for a worker just after it was removed goes too. */
    private void forgetAgain(long nowNanos) {
        for (Worker worker = removed.poll(); worker != null; worker = removed.poll()) {
            departures.add(new Departure(worker, nowNanos));
        }
        for (Departure next = departures.peek();
                next != null && nowNanos - next.atNanos >= LATE_NANOS;
                next = departures.peek()) {
            tree.remove(next.worker);
            departures.remove();
        }
    }
}
