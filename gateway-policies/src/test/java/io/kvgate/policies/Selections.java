package io.kvgate.policies;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.InferenceRequest;
import io.kvgate.core.request.RoutingKeys;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Asks a policy for workers of a fleet, in the way of the router. For one thread. */
final class Selections {
    private final LoadBalancingPolicy policy;
    private final WorkerFleet fleet;
    private final Candidates candidates = new Candidates();

    Selections(LoadBalancingPolicy policy, WorkerFleet fleet) {
        this.policy = policy;
        this.fleet = fleet;
    }

    static SelectionContext context() {
        return new SelectionContext(new InferenceRequest(ApiEndpoint.CHAT_COMPLETIONS, null, false, RoutingKeys.NONE));
    }

    /** The next choice; fails if there is none. */
    Worker next() {
        return requireNonNull(policy.select(candidates.fill(fleet.pool(), Set.of()), context()));
    }

    List<Worker> next(int count) {
        List<Worker> chosen = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chosen.add(next());
        }
        return chosen;
    }

    /** How often each worker is chosen. */
    Map<Worker, Integer> shares(int count) {
        Map<Worker, Integer> shares = new HashMap<>();
        next(count).forEach(worker -> shares.merge(worker, 1, Integer::sum));
        return shares;
    }
}
