package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.policies.radix.PrefixTrees;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A cache_aware policy with workers that go by letters, whose loads a test sets. For one thread. */
final class CacheAwareScene {
    /** As the vectors assume: threshold .5, abs 32, rel 1.1; the share alone decides. */
    static final PolicyConfig.CacheAware VECTORS = new PolicyConfig.CacheAware(
            0.5, 0, 32, 1.1, Duration.ofSeconds(30), 1L << 26, PolicySettings.DEFAULT_LOAD_MAX_AGE);

    /** What a user gets who sets nothing. */
    static final PolicyConfig.CacheAware DEFAULT = PolicySettings.DEFAULT.cacheAware();

    /** What a user gets who sets {@code --cache-threshold 0.3}, the reference's default. */
    static final PolicyConfig.CacheAware REFERENCE = new PolicyConfig.CacheAware(
            0.3, 0, 64, 1.5, Duration.ofSeconds(60), 1L << 26, PolicySettings.DEFAULT_LOAD_MAX_AGE);

    private final WorkerFleet fleet;
    private final Candidates candidates = new Candidates();
    private final Map<Worker, Deque<LoadGuard>> stays = new HashMap<>();
    private Set<Worker> excluded = Set.of();
    private String reason = "";

    final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
    final PrefixTrees trees = new PrefixTrees(1L << 28);
    final CacheAwarePolicy policy;

    CacheAwareScene(PolicyConfig.CacheAware config, int workers) {
        this(config, WorkerFleet.ready(workers));
    }

    CacheAwareScene(PolicyConfig.CacheAware config, WorkerFleet fleet) {
        this.fleet = fleet;
        policy = new CacheAwarePolicy(
                config, new PolicyServices(new SplitMixRandom(20_261_129), fleet.ticker(), metrics, trees));
    }

    static PolicyConfig.CacheAware balance(int abs, double rel) {
        return new PolicyConfig.CacheAware(0.5, 0, abs, rel, Duration.ofSeconds(30), 1L << 26, Duration.ofSeconds(75));
    }

    static PolicyConfig.CacheAware threshold(double threshold) {
        return new PolicyConfig.CacheAware(
                threshold, 0, 32, 1.1, Duration.ofSeconds(30), 1L << 26, Duration.ofSeconds(75));
    }

    WorkerFleet fleet() {
        return fleet;
    }

    Worker worker(char letter) {
        return fleet.worker(letter - 'A');
    }

    char letter(Worker worker) {
        return (char) ('A' + fleet.workers().indexOf(worker));
    }

    /** Gives each worker, in order, that many requests in flight. */
    CacheAwareScene loads(int... requests) {
        for (int i = 0; i < requests.length; i++) {
            Worker worker = fleet.worker(i);
            Deque<LoadGuard> guards = stays.computeIfAbsent(worker, w -> new ArrayDeque<>());
            while (worker.inFlight() < requests[i]) {
                guards.push(requireNonNull(worker.tryAcquire()));
            }
            while (worker.inFlight() > requests[i]) {
                guards.pop().close();
            }
        }
        return this;
    }

    /** Each engine says, in order, that it runs so many requests. */
    CacheAwareScene reported(int... running) {
        for (int i = 0; i < running.length; i++) {
            fleet.worker(i)
                    .reportLoad(new WorkerLoad(
                            running[i], 0, -1, Double.NaN, fleet.ticker().nanos()));
        }
        return this;
    }

    /** Notes the text for a worker, as an earlier choice would have. */
    CacheAwareScene sent(String text, char letter) {
        assertThat(policy.tree().insert(Prompt.ofText(text), worker(letter))).isTrue();
        return this;
    }

    CacheAwareScene exclude(char... letters) {
        excluded = new HashSet<>();
        for (char letter : letters) {
            excluded.add(worker(letter));
        }
        return this;
    }

    /** The letter of the choice; {@code -} if there is none. */
    char choose(String text) {
        return choose(Prompt.ofText(text));
    }

    char choose(Prompt prompt) {
        SelectionContext context = Selections.context();
        context.prompt(prompt);
        Worker chosen = policy.select(candidates.fill(fleet.pool(), excluded), context);
        reason = context.reason();
        return chosen == null ? '-' : letter(chosen);
    }

    /** The choice, which then has one more request in flight. */
    char send(String text) {
        char chosen = choose(text);
        Worker worker = worker(chosen);
        stays.computeIfAbsent(worker, w -> new ArrayDeque<>()).push(requireNonNull(worker.tryAcquire()));
        return chosen;
    }

    /** Why the last choice fell. */
    String reason() {
        return reason;
    }

    long count(char letter) {
        return policy.tree().characters(worker(letter));
    }

    void remove(char letter) {
        Worker gone = worker(letter);
        fleet.remove(gone);
        policy.onWorkerRemoved(gone);
    }
}
