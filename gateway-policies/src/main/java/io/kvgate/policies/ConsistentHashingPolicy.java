package io.kvgate.policies;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.RoutingKeys;
import io.kvgate.core.worker.Worker;
import io.kvgate.policies.hash.HashRing;
import io.kvgate.policies.hash.KeyHash;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A routing key's place on a hash ring names its worker; without any key chance decides. A client may also name a worker by its
 * place in the pool.
 *
 * <p>Answers null while there are candidates only for a client that named a worker which is not one of them.
 *
 * <p>Threading: any thread; the generator is shared and must allow that.
 */
final class ConsistentHashingPolicy implements LoadBalancingPolicy {
    /** Below one request per worker the mean says nothing: a single request would be twice the mean of two workers. */
    private static final double LEAST_MEAN = 1;

    private final double maxLoadSkew;
    private final RandomGenerator random;
    private final PoolRing rings = new PoolRing();

    private final Branch noHealthyWorkers;
    private final Branch targetHit;
    private final Branch targetMiss;
    private final Branch explicitHit;
    private final Branch explicitSpillover;
    private final Branch explicitNoneEligible;
    private final Branch implicitHit;
    private final Branch randomFallback;

    /** @param maxLoadSkew 0: off */
    ConsistentHashingPolicy(double maxLoadSkew, PolicyServices services) {
        this.maxLoadSkew = maxLoadSkew;
        random = services.random();
        boolean bounded = maxLoadSkew > 0;
        noHealthyWorkers = branch(services, "no_healthy_workers");
        targetHit = branch(services, "target_worker_hit");
        targetMiss = branch(services, "target_worker_miss");
        explicitHit = branch(services, bounded ? "explicit_routing_key_hit" : "routing_key_hit");
        explicitSpillover = branch(services, "explicit_routing_key_spillover");
        explicitNoneEligible = branch(services, "explicit_routing_key_no_eligible_candidate");
        implicitHit = branch(services, bounded ? "implicit_routing_key_hit" : "routing_key_hit");
        randomFallback = branch(services, "random_fallback");
    }

    private static Branch branch(PolicyServices services, String reason) {
        return new Branch(services, GatewayMeter.CONSISTENT_HASHING_BRANCH, reason);
    }

    @Override
    public String name() {
        return PolicyConfig.ConsistentHashing.NAME;
    }

    @Override
    public @Nullable Worker select(Candidates candidates, SelectionContext context) {
        if (candidates.isEmpty()) {
            noHealthyWorkers.taken(context);
            return null;
        }
        RoutingKeys keys = context.keys();
        String target = keys.targetWorker();
        if (target != null) {
            return target(candidates, context, target);
        }
        String explicit = keys.routingKey();
        if (explicit != null) {
            return explicit(candidates, context, explicit);
        }
        String implicit = keys.implicitKey();
        if (implicit != null) {
            implicitHit.taken(context);
            HashRing ring = rings.of(candidates.pool());
            return PoolRing.first(ring, ring.find(KeyHash.of(implicit)), candidates);
        }
        randomFallback.taken(context);
        return candidates.get(random.nextInt(candidates.size()));
    }

    private @Nullable Worker target(Candidates candidates, SelectionContext context, String target) {
        List<Worker> members = candidates.pool().members();
        int index = index(target);
        if (index >= 0 && index < members.size() && candidates.contains(members.get(index), index)) {
            targetHit.taken(context);
            return members.get(index);
        }
        if (index >= 0 && index < members.size() && candidates.excludes(members.get(index))) {
            // Not a miss: the request is asked again with the workers it has failed on.
            context.reason("target_worker_failed");
            return null;
        }
        targetMiss.taken(context);
        return null;
    }

    /** Digits, perhaps with a plus sign before them; −1 for anything else, and for numbers beyond any pool. */
    private static int index(String text) {
        int from = text.startsWith("+") ? 1 : 0;
        if (from == text.length()) {
            return -1;
        }
        int value = 0;
        for (int i = from; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9' || value > Integer.MAX_VALUE / 10 - 1) {
                return -1;
            }
            value = value * 10 + digit - '0';
        }
        return value;
    }

    private @Nullable Worker explicit(Candidates candidates, SelectionContext context, String key) {
        HashRing ring = rings.of(candidates.pool());
        int point = ring.find(KeyHash.of(key));
        Worker owner = PoolRing.first(ring, point, candidates);
        if (maxLoadSkew == 0 || owner == null) {
            explicitHit.taken(context);
            return owner;
        }
        int load = owner.inFlight();
        // The least total that is enough for the owner, if the mean isn't so small that it doesn't count.
        double enough = load <= LEAST_MEAN * maxLoadSkew ? 0 : load * (double) candidates.size() / maxLoadSkew;
        long total = candidates.inFlight(enough);
        if (total >= enough) {
            explicitHit.taken(context);
            return owner;
        }
        double limit = Math.max(LEAST_MEAN, (double) total / candidates.size()) * maxLoadSkew;
        Worker next = PoolRing.first(ring, point, candidates, limit);
        if (next == null) {
            // The least loaded has at most the mean, so all loads have risen since it was taken.
            explicitNoneEligible.taken(context);
            return owner;
        }
        explicitSpillover.taken(context);
        return next;
    }
}
