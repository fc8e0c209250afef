package io.kvgate.policies;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.Worker;
import io.kvgate.policies.hash.HashRing;
import io.kvgate.policies.hash.TokenHash;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of the prompt names a worker by its place on a hash ring, unless that worker has too much in flight: then one of the
 * least loaded is taken. A prompt without a beginning goes to the least loaded.
 *
 * <p>Threading: any thread; the generator is shared and must allow that.
 */
final class PrefixHashPolicy implements LoadBalancingPolicy {
    /** What stands for a token where only text is known: four bytes are about one token of English. */
    private static final int BYTES_PER_TOKEN = 4;

    private final int tokens;
    private final double loadFactor;
    private final RandomGenerator random;
    private final PoolRing rings = new PoolRing();
    private final RingPoints points = new RingPoints();

    private final Branch noHealthyWorkers;
    private final Branch ringHit;
    private final Branch loadBalanceWalk;
    private final Branch fallbackLeastLoad;

    PrefixHashPolicy(PolicyConfig.PrefixHash config, PolicyServices services) {
        tokens = config.prefixTokenCount();
        loadFactor = config.loadFactor();
        random = services.random();
        noHealthyWorkers = branch(services, "no_healthy_workers");
        ringHit = branch(services, "ring_hit");
        loadBalanceWalk = branch(services, "load_balance_walk");
        fallbackLeastLoad = branch(services, "fallback_least_load");
    }

    private static Branch branch(PolicyServices services, String reason) {
        return new Branch(services, GatewayMeter.PREFIX_HASH_BRANCH, reason);
    }

    @Override
    public String name() {
        return PolicyConfig.PrefixHash.NAME;
    }

    @Override
    public boolean needsPrompt() {
        return true;
    }

    @Override
    public @Nullable Worker select(Candidates candidates, SelectionContext context) {
        if (candidates.isEmpty()) {
            noHealthyWorkers.taken(context);
            return null;
        }
        Prompt prompt = context.prompt();
        if (prompt.tokenCount() == 0 && !prompt.hasText()) {
            fallbackLeastLoad.taken(context);
            return FewestOf.among(candidates, Worker::inFlight, random);
        }
        HashRing ring = rings.of(candidates.pool());
        int point = ring.find(points.of(prefixHash(prompt)));
        Worker owner = PoolRing.first(ring, point, candidates);
        if (owner == null || mayTakeMore(owner, candidates)) {
            ringHit.taken(context);
            return owner;
        }
        loadBalanceWalk.taken(context);
        // Among equals the next clockwise, so that a prefix that overflows does so to the same worker while it can.
        Worker least = PoolRing.first(ring, point, candidates, leastLoad(candidates));
        return least == null ? owner : least;
    }

    private long prefixHash(Prompt prompt) {
        return prompt.tokenCount() > 0
                ? TokenHash.of(prompt.tokenIds(), Math.min(tokens, prompt.tokenCount()))
                : TokenHash.of(prompt.bytes(), (int) Math.min((long) tokens * BYTES_PER_TOKEN, prompt.length()));
    }

    /** Whether it has at most the mean, this request counted in, times the factor. */
    private boolean mayTakeMore(Worker worker, Candidates candidates) {
        // load <= (total + 1) / candidates * factor
        double enough = (double) worker.inFlight() * candidates.size() / loadFactor - 1;
        return candidates.inFlight(enough) >= enough;
    }

    private static int leastLoad(Candidates candidates) {
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < candidates.size(); i++) {
            least = Math.min(least, candidates.get(i).inFlight());
        }
        return least;
    }
}
