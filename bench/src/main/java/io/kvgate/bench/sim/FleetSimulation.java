package io.kvgate.bench.sim;

import io.kvgate.bench.engine.model.BlockPoolListener;
import io.kvgate.bench.engine.model.EngineModel;
import io.kvgate.bench.sim.traffic.TokenText;
import io.kvgate.bench.sim.traffic.Turn;
import io.kvgate.bench.workload.Arrivals;
import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.InferenceRequest;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.request.RoutingKeys;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerMetadata;
import io.kvgate.core.worker.WorkerPool;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.policies.Candidates;
import io.kvgate.policies.LoadBalancingPolicy;
import io.kvgate.policies.PolicyConfig;
import io.kvgate.policies.PolicyServices;
import io.kvgate.policies.SelectionContext;
import io.kvgate.policies.radix.PrefixTrees;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A policy in front of a fleet of engine models, as discrete events: an arrival, the next turn of a conversation, the end of an
 * engine's step. The policy and what it sees of workers are the gateway's own classes; its clock is the simulation's. There is no
 * network, no gateway time, and no engine reports its load, so load is what the gateway has in flight.
 *
 * <p>The same setup and policy give the same result. Equal moments are served in the order: steps by worker, turns, arrivals.
 *
 * <p>Threading: one thread; an object runs once.
 */
final class FleetSimulation {
    private static final long MAINTENANCE_NANOS = 200_000_000;
    private static final int FIRST_PORT = 9_001;

    /** More than eight real pools take, so that a result doesn't depend on the size of the heap. */
    private static final long TREE_BYTES = 1L << 30;

    private static final InferenceRequest REQUEST =
            new InferenceRequest(ApiEndpoint.CHAT_COMPLETIONS, null, false, RoutingKeys.NONE);

    /** A turn and when it is sent. */
    private record Due(long nanos, long order, Turn turn) {}

    private final SimulationSetup setup;
    private final VirtualClock clock = new VirtualClock();
    private final RandomGenerator texts;
    private final RandomGenerator laterTexts;
    private final Arrivals arrivals;
    private final LoadBalancingPolicy policy;
    private final List<SimulatedWorker> workers = new ArrayList<>();
    private final WorkerPool pool;
    private final Candidates candidates = new Candidates();
    private final PriorityQueue<Due> turns =
            new PriorityQueue<>(Comparator.comparingLong(Due::nanos).thenComparingLong(Due::order));
    private final SimulationTally tally;
    private long nextArrivalNanos;
    private long maintainedNanos;
    private long sent;
    private long followed;

    FleetSimulation(SimulationSetup setup, PolicyConfig policyConfig) {
        this.setup = setup;
        texts = new SplitMixRandom(setup.seed());
        arrivals = Arrivals.poisson(setup.perSecond(), new SplitMixRandom(setup.seed() + 1));
        // Later turns come when answers end, which depends on the policy; what comes from outside must not.
        laterTexts = new SplitMixRandom(setup.seed() + 3);
        NoopMetricsRegistry metrics = new NoopMetricsRegistry();
        policy = policyConfig.create(
                new PolicyServices(new SplitMixRandom(setup.seed() + 2), clock, metrics, new PrefixTrees(TREE_BYTES)));
        WorkerRegistry registry = new WorkerRegistry(CircuitBreakerConfig.DEFAULT, clock, metrics);
        for (int i = 0; i < setup.workers(); i++) {
            workers.add(new SimulatedWorker(
                    register(registry, i), new EngineModel(setup.engine(), BlockPoolListener.none(), i)));
        }
        pool = registry.snapshot().poolOfRole(WorkerRole.REGULAR);
        tally = new SimulationTally(setup.countFromNanos(), workers);
    }

    private Worker register(WorkerRegistry registry, int index) {
        Worker worker = registry.add(WorkerSpec.of(URI.create("http://127.0.0.1:" + (FIRST_PORT + index)))
                .withHealth(unprobed(HealthSettings.DEFAULT)));
        registry.reportMetadata(
                worker, new WorkerMetadata(List.of(), "vllm", 1, setup.engine().poolTokens(), Map.of()));
        return worker;
    }

    private static HealthSettings unprobed(HealthSettings health) {
        return new HealthSettings(
                health.endpoint(),
                health.interval(),
                health.timeout(),
                health.failureThreshold(),
                health.successThreshold(),
                true);
    }

    SimulationResult run() {
        nextArrivalNanos = arrivals.nextGapNanos();
        while (true) {
            SimulatedWorker stepping = earliestStep();
            long turnNanos = turns.isEmpty() ? Long.MAX_VALUE : turns.peek().nanos();
            long now = Math.min(stepping.stepEndNanos(), Math.min(turnNanos, nextArrivalNanos));
            if (now >= setup.endNanos()) {
                return tally.result();
            }
            clock.advanceTo(now);
            tally.reach(now);
            maintain(now);
            if (now == stepping.stepEndNanos()) {
                stepping.step(now).forEach(finished -> finish(stepping, finished));
            } else if (now == turnNanos) {
                send(turns.remove().turn());
            } else {
                nextArrivalNanos = now + arrivals.nextGapNanos();
                send(setup.workload().first(texts));
            }
        }
    }

    private SimulatedWorker earliestStep() {
        SimulatedWorker earliest = workers.get(0);
        for (SimulatedWorker worker : workers) {
            if (worker.stepEndNanos() < earliest.stepEndNanos()) {
                earliest = worker;
            }
        }
        return earliest;
    }

    private void maintain(long now) {
        if (now - maintainedNanos >= MAINTENANCE_NANOS) {
            policy.maintain();
            maintainedNanos = now;
        }
    }

    private void send(Turn turn) {
        SelectionContext context = new SelectionContext(REQUEST);
        if (policy.needsPrompt()) {
            context.prompt(TokenText.prompt(turn.prompt()));
        }
        Worker chosen = policy.select(candidates.fill(pool, Set.of()), context);
        context.prompt(Prompt.NONE);
        LoadGuard guard = chosen == null ? null : chosen.tryAcquire();
        if (chosen == null || guard == null) {
            throw new IllegalStateException(policy.name() + ": no worker (expected: one, as all are ready)");
        }
        policy.onStart(chosen, context);
        int index = pool.members().indexOf(chosen);
        tally.chosen(index, context.reason());
        workers.get(index).submit("r" + sent++, turn, context, guard, clock.nanos());
    }

    private void finish(SimulatedWorker worker, SimulatedWorker.Finished finished) {
        SimulatedWorker.Stay stay = finished.stay();
        stay.guard.succeeded();
        stay.guard.close();
        policy.onComplete(worker.worker(), stay.context, new RequestOutcome.Completed(200));
        tally.finished(finished.request());
        if (stay.turn != null) {
            Turn next = setup.workload().next(stay.turn, stay.answer, laterTexts);
            turns.add(new Due(clock.nanos() + next.pauseNanos(), followed++, next));
        }
    }
}
