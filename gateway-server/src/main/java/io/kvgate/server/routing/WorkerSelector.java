package io.kvgate.server.routing;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.InferenceRequest;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerPool;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSnapshot;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.policies.Candidates;
import io.kvgate.policies.LoadBalancingPolicy;
import io.kvgate.policies.PolicyRegistry;
import io.kvgate.policies.SelectionContext;
import io.kvgate.server.config.RoutingConfig.ModelRouting;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the workers that may serve a request, and lets the policy choose one of them.
 *
 * <p>Threading: shared by all event loops; holds no lock and allocates nothing in proportion to the fleet.
 */
public final class WorkerSelector {
    private static final String UNKNOWN_MODEL = "unknown";
    /** The reason of a policy that found nobody where the client's header points. */
    private static final String TARGET_MISS = "target_worker_miss";

    private final WorkerRegistry registry;
    private final PolicyRegistry policies;
    private final ModelRouting modelRouting;
    private final RoutingMeters meters;

    public WorkerSelector(
            WorkerRegistry registry, PolicyRegistry policies, ModelRouting modelRouting, RoutingMeters meters) {
        this.registry = registry;
        this.policies = policies;
        this.modelRouting = modelRouting;
        this.meters = meters;
    }

    /** A chosen worker, with the permit and the count that were taken in the same step. */
    record Selection(LoadGuard guard, LoadBalancingPolicy policy, String reason) {}

    /**
     * Chooses for one attempt. Workers the request failed on come last: only when no other is available, and
     * the one that failed just now last of all.
     *
     * @throws GatewayException model unknown or missing, no worker known, none available
     */
    Selection select(Exchange exchange) {
        WorkerPool pool = poolFor(registry.snapshot(), exchange.request());
        Candidates candidates = exchange.loop().candidates();
        exchange.selection().prompt(needsPrompt() ? exchange.takePrompt() : Prompt.NONE);
        try {
            Selection selection = choose(candidates.fill(pool, exchange.failedWorkers()), exchange);
            if (selection == null && exchange.failedWorkers().size() > 1) {
                selection = choose(candidates.fill(pool, exchange.lastFailedWorker()), exchange);
            }
            if (selection == null && !exchange.failedWorkers().isEmpty()) {
                selection = choose(candidates.fill(pool, Set.of()), exchange);
            }
            if (selection == null) {
                String policy = policies.policyOf(pool.key()).name();
                exchange.trace().refused(policy, exchange.selection().reason());
                throw none(pool, candidates, exchange.selection());
            }
            meters.selected(pool.key().model(), selection.policy().name());
            return selection;
        } finally {
            exchange.selection().prompt(Prompt.NONE);
            candidates.clear();
        }
    }

    /** Whether any policy in force looks at the prompt. */
    public boolean needsPrompt() {
        return policies.needsPrompt();
    }

    /** Whether a worker is available that the request has not failed on. */
    boolean hasUntried(Exchange exchange) {
        Candidates candidates = exchange.loop().candidates();
        try {
            WorkerPool pool = poolFor(registry.snapshot(), exchange.request());
            return !candidates.fill(pool, exchange.failedWorkers()).isEmpty();
        } catch (GatewayException e) {
            return false;
        } finally {
            candidates.clear();
        }
    }

    private @Nullable Selection choose(Candidates candidates, Exchange exchange) {
        PoolKey key = candidates.key();
        LoadBalancingPolicy policy = policies.policyOf(key);
        while (!candidates.isEmpty()) {
            Worker worker = policy.select(candidates, exchange.selection());
            if (worker == null) {
                return null;
            }
            LoadGuard guard = worker.tryAcquire();
            if (guard != null) {
                policy.onStart(worker, exchange.selection());
                return new Selection(guard, policy, exchange.selection().reason());
            }
            // Another request took the last half-open place in between.
            candidates.remove(worker);
        }
        return null;
    }

    private WorkerPool poolFor(WorkerSnapshot snapshot, InferenceRequest request) {
        WorkerPool all = snapshot.poolOfRole(WorkerRole.REGULAR);
        if (all.members().isEmpty()) {
            throw new GatewayException(ErrorCode.NO_WORKERS, "no worker is registered");
        }
        if (modelRouting == ModelRouting.ANY) {
            return all;
        }
        String model = request.model();
        return model == null ? poolWithoutModel(snapshot, all) : poolOfModel(snapshot, model);
    }

    private static WorkerPool poolWithoutModel(WorkerSnapshot snapshot, WorkerPool all) {
        List<String> models = snapshot.models();
        if (models.size() > 1) {
            throw new GatewayException(
                    ErrorCode.MODEL_REQUIRED, "model: missing (expected one of: " + String.join(", ", models) + ")");
        }
        return all;
    }

    private static WorkerPool poolOfModel(WorkerSnapshot snapshot, String model) {
        WorkerPool pool = snapshot.pool(WorkerRole.REGULAR, model);
        if (pool != null) {
            return pool;
        }
        WorkerPool unknown = snapshot.pool(WorkerRole.REGULAR, UNKNOWN_MODEL);
        boolean mayServeIt = unknown != null
                && (!unknown.ready().isEmpty()
                        || unknown.members().stream().anyMatch(w -> w.status() == WorkerStatus.PENDING)
                        || snapshot.models().isEmpty());
        if (unknown != null && mayServeIt) {
            return unknown;
        }
        throw new GatewayException(
                ErrorCode.MODEL_NOT_FOUND,
                "model: " + abbreviated(model) + " (expected one of: " + String.join(", ", snapshot.models()) + ")");
    }

    private static String abbreviated(String model) {
        return model.length() <= 128 ? model : model.substring(0, 128) + "…";
    }

    /** The refusal when none was chosen: because of what the client asks for, or because there is none. */
    private static GatewayException none(WorkerPool pool, Candidates candidates, SelectionContext context) {
        String target = context.keys().targetWorker();
        if (candidates.isEmpty() || target == null || !context.reason().equals(TARGET_MISS)) {
            return noneAvailable(pool);
        }
        return new GatewayException(
                ErrorCode.NO_AVAILABLE_WORKERS,
                "X-SMG-Target-Worker: " + abbreviated(target) + ": no available worker has this position ("
                        + pool.members().size() + " workers known, " + candidates.size()
                        + " available; expected: 0 to " + (pool.members().size() - 1) + ")");
    }

    private static GatewayException noneAvailable(WorkerPool pool) {
        long soonest = Long.MAX_VALUE;
        int open = 0;
        for (Worker worker : pool.ready()) {
            long wait = worker.breaker().nanosUntilHalfOpen();
            if (wait > 0) {
                open++;
                soonest = Math.min(soonest, wait);
            }
        }
        String why = pool.members().size() + " known, " + pool.ready().size() + " ready, " + open
                + " of these with an open circuit breaker";
        Duration retryAfter = open > 0 ? Duration.ofNanos(soonest) : Duration.ofSeconds(1);
        return new GatewayException(
                ErrorCode.NO_AVAILABLE_WORKERS, "no worker is available for this request: " + why, retryAfter);
    }
}
