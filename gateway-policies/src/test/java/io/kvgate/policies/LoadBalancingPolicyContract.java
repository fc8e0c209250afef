package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerSpec;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What every policy must do; the test of each extends this. */
abstract class LoadBalancingPolicyContract {
    static final long SEED = 20_261_129L;

    /** The policy under test, in its default configuration. */
    protected abstract PolicyConfig config();

    protected final LoadBalancingPolicy policy(RandomGenerator random, Ticker ticker) {
        return config().create(new PolicyServices(random, ticker, new NoopMetricsRegistry()));
    }

    protected final LoadBalancingPolicy policy(WorkerFleet fleet) {
        return policy(new SplitMixRandom(SEED), fleet.ticker());
    }

    protected final Selections selections(WorkerFleet fleet) {
        return new Selections(policy(fleet), fleet);
    }

    /**
     * Whether an idle fleet is used evenly. A policy that sends equal requests to one worker says no, and shows its own spread in
     * its own test.
     */
    protected boolean spreadsEqualRequests() {
        return true;
    }

    @Test
    void name_isTheConfiguredOne() {
        assertThat(policy(WorkerFleet.ready(1)).name()).isEqualTo(config().name());
        assertThat(PolicySettings.names()).contains(config().name());
    }

    @Test
    void select_emptyFleet_isNull() {
        WorkerFleet fleet = WorkerFleet.ready(0);
        Candidates candidates = new Candidates().fill(fleet.pool(), Set.of());
        assertThat(policy(fleet).select(candidates, Selections.context())).isNull();
    }

    @Test
    void select_oneWorker_isAlwaysIt() {
        WorkerFleet fleet = WorkerFleet.ready(1);
        assertThat(selections(fleet).next(20)).containsOnly(fleet.worker(0));
    }

    @Test
    void select_allUnavailable_isNull() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        LoadBalancingPolicy policy = policy(fleet);
        fleet.notReady(fleet.worker(0));
        fleet.openBreaker(fleet.worker(1));
        Set<Worker> excluded = Set.of(fleet.worker(2));
        Candidates candidates = new Candidates().fill(fleet.pool(), excluded);
        assertThat(candidates.isEmpty()).isTrue();
        assertThat(policy.select(candidates, Selections.context())).isNull();
    }

    @Test
    void select_oneAvailableOfThree_isAlwaysIt() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        fleet.notReady(fleet.worker(0));
        fleet.openBreaker(fleet.worker(2));
        assertThat(selections(fleet).next(20)).containsOnly(fleet.worker(1));
    }

    @Test
    void select_excludedWorker_isNeverIt() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        LoadBalancingPolicy policy = policy(fleet);
        Set<Worker> excluded = Set.of(fleet.worker(1));
        Candidates candidates = new Candidates();
        for (int i = 0; i < 50; i++) {
            Worker chosen = policy.select(candidates.fill(fleet.pool(), excluded), Selections.context());
            assertThat(chosen).isNotNull().isNotSameAs(fleet.worker(1));
        }
    }

    @Test
    void select_anyFleetSize_isOneOfTheCandidates() {
        for (int size = 1; size <= 70; size++) {
            WorkerFleet fleet = WorkerFleet.ready(size);
            assertThat(fleet.workers()).containsAll(selections(fleet).next(20));
        }
    }

    @Test
    void select_reason_isAShortWord() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        SelectionContext context = Selections.context();
        requireNonNull(policy(fleet).select(new Candidates().fill(fleet.pool(), Set.of()), context));
        assertThat(context.reason()).matches("[a-z_]{3,32}");
    }

    @Test
    void select_candidates_areNotChanged() {
        WorkerFleet fleet = WorkerFleet.ready(4);
        Candidates candidates = new Candidates().fill(fleet.pool(), Set.of());
        LoadBalancingPolicy policy = policy(fleet);
        for (int i = 0; i < 20; i++) {
            policy.select(candidates, Selections.context());
        }
        assertThat(candidates.size()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            assertThat(candidates.get(i)).isSameAs(fleet.worker(i));
        }
    }

    @Test
    void select_sameSeed_sameChoices() {
        assertThat(indexes(7, 200)).isEqualTo(indexes(7, 200));
    }

    private List<Integer> indexes(long seed, int count) {
        WorkerFleet fleet = WorkerFleet.ready(5);
        Selections selections = new Selections(policy(new SplitMixRandom(seed), fleet.ticker()), fleet);
        List<Integer> indexes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            indexes.add(fleet.workers().indexOf(selections.next()));
        }
        return indexes;
    }

    @Test
    void select_idleFleet_isSpreadEvenly() {
        WorkerFleet fleet = WorkerFleet.ready(4);
        Map<Worker, Integer> shares = selections(fleet).shares(4_000);
        if (spreadsEqualRequests()) {
            assertThat(shares)
                    .hasSize(4)
                    .allSatisfy((worker, share) -> assertThat(share).isBetween(850, 1_150));
        } else {
            assertThat(shares).isNotEmpty();
        }
    }

    @Test
    void select_workerJoins_getsItsShare() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        Selections selections = selections(fleet);
        selections.next(100);
        Worker joined = fleet.add();
        Map<Worker, Integer> shares = selections.shares(3_000);
        if (spreadsEqualRequests()) {
            assertThat(shares.get(joined)).isBetween(850, 1_150);
        } else {
            assertThat(shares).isNotEmpty();
        }
    }

    @Test
    void select_removedWorker_isNeverReturned() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        LoadBalancingPolicy policy = policy(fleet);
        Selections selections = new Selections(policy, fleet);
        selections.next(30);
        Worker gone = fleet.worker(1);
        fleet.remove(gone);
        policy.onWorkerRemoved(gone);
        assertThat(selections.next(100)).doesNotContain(gone);
    }

    @Test
    void select_sameUrlAddedAgain_isTheNewWorker() {
        WorkerFleet fleet = WorkerFleet.ready(0);
        URI url = URI.create("http://127.0.0.1:9000");
        Worker old = fleet.add(WorkerSpec.of(url));
        LoadBalancingPolicy policy = policy(fleet);
        Selections selections = new Selections(policy, fleet);
        selections.next(5);
        fleet.remove(old);
        policy.onWorkerRemoved(old);
        Worker fresh = fleet.add(WorkerSpec.of(url));
        assertThat(selections.next(5)).containsOnly(fresh);
    }

    @Test
    void select_membershipChangesAllTheTime_isAlwaysACandidate() {
        Random random = new Random(SEED);
        WorkerFleet fleet = WorkerFleet.ready(3);
        LoadBalancingPolicy policy = policy(fleet);
        Candidates candidates = new Candidates();
        List<LoadGuard> guards = new ArrayList<>();
        for (int step = 0; step < 3_000; step++) {
            int dice = random.nextInt(20);
            if (dice == 0 && fleet.workers().size() < 12) {
                fleet.add();
            } else if (dice == 1 && !fleet.workers().isEmpty()) {
                Worker gone = fleet.worker(random.nextInt(fleet.workers().size()));
                fleet.remove(gone);
                policy.onWorkerRemoved(gone);
            } else if (dice < 6 && !guards.isEmpty()) {
                guards.remove(random.nextInt(guards.size())).close();
            }
            Set<Worker> ready = new HashSet<>(fleet.pool().ready());
            SelectionContext context = Selections.context();
            Worker chosen = policy.select(candidates.fill(fleet.pool(), Set.of()), context);
            if (ready.isEmpty()) {
                assertThat(chosen).as("seed %d, step %d", SEED, step).isNull();
            } else {
                assertThat(ready).as("seed %d, step %d", SEED, step).contains(requireNonNull(chosen));
                guards.add(requireNonNull(chosen.tryAcquire()));
                policy.onComplete(chosen, context, new RequestOutcome.Completed(200));
            }
        }
    }

    @Test
    void select_manyThreads_isAlwaysACandidate() throws Exception {
        WorkerFleet fleet = WorkerFleet.ready(8);
        LoadBalancingPolicy policy = policy(fleet);
        int threads = 4;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            Callable<Integer> task = () -> {
                Selections selections = new Selections(policy, fleet);
                int good = 0;
                for (int i = 0; i < 5_000; i++) {
                    LoadGuard guard = requireNonNull(selections.next().tryAcquire());
                    guard.succeeded();
                    guard.close();
                    good++;
                }
                return good;
            };
            List<Future<Integer>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                results.add(executor.submit(task));
            }
            for (Future<Integer> result : results) {
                assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo(5_000);
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(fleet.workers()).allMatch(worker -> worker.inFlight() == 0);
    }

    @Test
    void select_candidatesDropped_areNotHeldByThePolicy() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        LoadBalancingPolicy policy = policy(fleet);
        WeakReference<Candidates> dropped = selectOnce(policy, fleet);
        for (int i = 0; i < 50 && dropped.get() != null; i++) {
            System.gc();
        }
        assertThat(dropped.get()).isNull();
        assertThat(policy.name()).isNotEmpty();
    }

    private static WeakReference<Candidates> selectOnce(LoadBalancingPolicy policy, WorkerFleet fleet) {
        Candidates candidates = new Candidates().fill(fleet.pool(), Set.of());
        policy.select(candidates, Selections.context());
        return new WeakReference<>(candidates);
    }

    @Test
    void callbacks_ofWorkersNeverSeen_doNoHarm() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        LoadBalancingPolicy policy = policy(fleet);
        Worker stranger = WorkerFleet.ready(1).worker(0);
        policy.onWorkerRemoved(stranger);
        policy.onComplete(stranger, Selections.context(), new RequestOutcome.Completed(500));
        assertThat(fleet.workers()).contains(new Selections(policy, fleet).next());
    }
}
