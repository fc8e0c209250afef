package io.kvgate.policies;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.worker.Worker;
import io.kvgate.policies.PolicyConfig.Manual.AssignmentMode;
import io.kvgate.policies.hash.KeyHash;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A routing key stays with the worker it was given first; while that one is not available, with a second one. Workers are remembered
 * by URL, so one that is removed and comes back has its keys again.
 *
 * <p>Threading: any thread; the generator is shared and must allow that.
 */
final class ManualPolicy implements LoadBalancingPolicy {
    private final AssignmentMode mode;
    private final RandomGenerator random;
    private final StickyKeys keys;
    private final KeyGroups groups = new KeyGroups();

    /** Place among the members by URL. A URI keeps its hash, and an equal one is mostly the same object. */
    private final PerMembership<Map<URI, Integer>> places =
            new PerMembership<>(Map.of(), (before, members) -> placesOf(members));

    private final Branch noHealthyWorkers;
    private final Branch noRoutingId;
    private final Branch vacant;
    private final Branch occupiedHit;
    private final Branch occupiedMiss;

    ManualPolicy(PolicyConfig.Manual config, PolicyServices services) {
        mode = config.assignmentMode();
        random = services.random();
        keys = new StickyKeys(config.maxEntries(), config.maxIdle(), config.evictionInterval(), services.ticker());
        noHealthyWorkers = branch(services, "no_healthy_workers");
        noRoutingId = branch(services, "no_routing_id");
        vacant = branch(services, "vacant");
        occupiedHit = branch(services, "occupied_hit");
        occupiedMiss = branch(services, "occupied_miss");
    }

    private static Branch branch(PolicyServices services, String reason) {
        return new Branch(services, GatewayMeter.MANUAL_BRANCH, reason);
    }

    private static Map<URI, Integer> placesOf(List<Worker> members) {
        Map<URI, Integer> places = new HashMap<>();
        for (int i = 0; i < members.size(); i++) {
            places.put(members.get(i).spec().url(), i);
        }
        return places;
    }

    @Override
    public String name() {
        return PolicyConfig.Manual.NAME;
    }

    @Override
    public @Nullable Worker select(Candidates candidates, SelectionContext context) {
        if (candidates.isEmpty()) {
            noHealthyWorkers.taken(context);
            return null;
        }
        String given = context.keys().routingKey();
        if (given == null) {
            noRoutingId.taken(context);
            return candidates.get(random.nextInt(candidates.size()));
        }
        String key = KeyHash.shortened(given);
        while (true) {
            StickyKeys.Entry entry = keys.use(key);
            Worker kept = entry == null ? null : available(entry, candidates);
            if (kept != null) {
                occupiedHit.taken(context);
                return kept;
            }
            Worker fresh = assign(candidates);
            URI url = fresh.spec().url();
            // False if another thread has just decided for the key: then what it decided is looked at.
            if (entry == null ? keys.add(key, url) : keys.append(key, entry, url)) {
                (entry == null ? vacant : occupiedMiss).taken(context);
                return fresh;
            }
        }
    }

    private @Nullable Worker available(StickyKeys.Entry entry, Candidates candidates) {
        Map<URI, Integer> placeOf = places.of(candidates.pool());
        Worker first = available(placeOf.get(entry.first()), candidates);
        URI second = entry.second();
        return first != null || second == null ? first : available(placeOf.get(second), candidates);
    }

    private static @Nullable Worker available(@Nullable Integer place, Candidates candidates) {
        if (place == null) {
            return null;
        }
        Worker worker = candidates.pool().members().get(place);
        return candidates.contains(worker, place) ? worker : null;
    }

    private Worker assign(Candidates candidates) {
        return switch (mode) {
            case RANDOM -> candidates.get(random.nextInt(candidates.size()));
            case MIN_LOAD -> FewestOf.among(candidates, Worker::inFlight, random);
            case MIN_GROUP -> FewestOf.among(candidates, groups::size, random);
        };
    }

    @Override
    public void onStart(Worker worker, SelectionContext context) {
        String key = groupKey(context);
        if (key != null) {
            groups.enter(worker, key);
        }
    }

    @Override
    public void onComplete(Worker worker, SelectionContext context, RequestOutcome outcome) {
        String key = groupKey(context);
        if (key != null) {
            groups.leave(worker, key);
        }
    }

    private @Nullable String groupKey(SelectionContext context) {
        String key = mode == AssignmentMode.MIN_GROUP ? context.keys().routingKey() : null;
        return key == null ? null : KeyHash.shortened(key);
    }

    @Override
    public long rememberedKeys() {
        return keys.size();
    }

    @Override
    public void maintain() {
        keys.maintain();
    }
}
