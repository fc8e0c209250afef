package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.request.RoutingKeys;
import io.kvgate.core.time.FakeTicker;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerPool;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.policies.PolicyConfig.Manual.AssignmentMode;
import io.kvgate.policies.hash.HashRing;
import io.kvgate.policies.hash.KeyHash;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads choose while workers come, go and flicker. Seeds differ by thread; interleavings are the machine's. */
final class KeyedPoliciesStressTest {
    private static final long SEED = 20_261_129L;
    private static final int READERS = 3;

    /** 200, the excess at which threads wait for each other, and one for each of them. */
    private static final long MOST_KEYS = 200 + 64 + READERS;

    private final WorkerFleet fleet = WorkerFleet.ready(0);
    private final AtomicBoolean finished = new AtomicBoolean();

    private LoadBalancingPolicy policy(PolicyConfig config) {
        return config.create(new PolicyServices(new SplitMixRandom(SEED), fleet.ticker(), new NoopMetricsRegistry()));
    }

    private static PolicyConfig manual(AssignmentMode mode, int maxEntries) {
        return new PolicyConfig.Manual(Duration.ofSeconds(1), Duration.ofSeconds(20), mode, maxEntries);
    }

    /** Adds, removes and flickers workers until the readers are done. */
    private Callable<Integer> churn(LoadBalancingPolicy policy) {
        return () -> {
            SplittableRandom random = new SplittableRandom(SEED);
            int changes = 0;
            while (!finished.get()) {
                List<Worker> workers = fleet.registry().snapshot().workers();
                int dice = random.nextInt(6);
                if (workers.size() < 4 || (dice == 0 && workers.size() < 9)) {
                    URI url = URI.create("http://w" + random.nextInt(12) + ":8000");
                    if (fleet.registry().snapshot().byUrl(url) == null) {
                        Worker added = fleet.registry().add(WorkerSpec.of(url));
                        fleet.registry().setStatus(added, WorkerStatus.READY, "");
                    }
                } else {
                    Worker one = workers.get(random.nextInt(workers.size()));
                    if (dice == 1) {
                        fleet.registry().remove(one, "stress");
                        policy.onWorkerRemoved(one);
                    } else {
                        fleet.registry().setStatus(one, WorkerStatus.NOT_READY, "stress");
                        fleet.registry().setStatus(one, WorkerStatus.READY, "");
                    }
                }
                fleet.ticker().advanceMillis(7);
                policy.maintain();
                changes++;
            }
            return changes;
        };
    }

    private void run(LoadBalancingPolicy policy, List<Callable<Integer>> readers) throws Exception {
        for (int i = 0; i < 4; i++) {
            fleet.add();
        }
        ExecutorService executor = Executors.newFixedThreadPool(readers.size() + 1);
        try {
            Future<Integer> changes = executor.submit(churn(policy));
            List<Future<Integer>> results = new ArrayList<>();
            readers.forEach(reader -> results.add(executor.submit(reader)));
            for (Future<Integer> result : results) {
                assertThat(result.get(300, TimeUnit.SECONDS)).isPositive();
            }
            finished.set(true);
            assertThat(changes.get(30, TimeUnit.SECONDS)).isPositive();
        } finally {
            finished.set(true);
            executor.shutdownNow();
        }
    }

    /** What a ring made from nothing says of these candidates. */
    private static Worker expected(Candidates candidates, String key) {
        WorkerPool pool = candidates.pool();
        HashRing ring = HashRing.EMPTY.of(pool.members().stream()
                .map(worker -> worker.spec().url().toString())
                .toList());
        int point = ring.find(KeyHash.of(key));
        while (!candidates.contains(pool.members().get(ring.ownerAt(point)))) {
            point = ring.next(point);
        }
        return pool.members().get(ring.ownerAt(point));
    }

    private void ringUnderChurn(int selections) throws Exception {
        LoadBalancingPolicy policy = policy(new PolicyConfig.ConsistentHashing(0));
        List<Callable<Integer>> readers = new ArrayList<>();
        for (int r = 0; r < READERS; r++) {
            SplittableRandom random = new SplittableRandom(SEED + r);
            readers.add(() -> {
                Candidates candidates = new Candidates();
                int chosen = 0;
                for (int i = 0; i < selections; i++) {
                    candidates.fill(fleet.pool(), Set.of());
                    String key = "k" + random.nextInt(1_000);
                    SelectionContext context = PolicyScene.context(RoutingKeys.of(null, key, null));
                    Worker worker = policy.select(candidates, context);
                    if (candidates.isEmpty()) {
                        assertThat(worker).isNull();
                    } else {
                        chosen++;
                        assertThat(worker).isSameAs(expected(candidates, key));
                    }
                }
                return chosen;
            });
        }
        run(policy, readers);
    }

    private void manualUnderChurn(int selections, AssignmentMode mode) throws Exception {
        LoadBalancingPolicy policy = policy(manual(mode, 200));
        List<Callable<Integer>> readers = new ArrayList<>();
        for (int r = 0; r < READERS; r++) {
            SplittableRandom random = new SplittableRandom(SEED + r);
            readers.add(() -> {
                Candidates candidates = new Candidates();
                int chosen = 0;
                for (int i = 0; i < selections; i++) {
                    candidates.fill(fleet.pool(), Set.of());
                    SelectionContext context =
                            PolicyScene.context(RoutingKeys.of(null, "k" + random.nextInt(1_000), null));
                    Worker worker = policy.select(candidates, context);
                    if (candidates.isEmpty()) {
                        assertThat(worker).isNull();
                        continue;
                    }
                    chosen++;
                    assertThat(candidates.contains(requireNonNull(worker))).isTrue();
                    policy.onStart(worker, context);
                    policy.onComplete(worker, context, new RequestOutcome.Completed(200));
                    assertThat(policy.rememberedKeys()).isBetween(0L, MOST_KEYS);
                }
                return chosen;
            });
        }
        run(policy, readers);
        assertThat(policy.rememberedKeys()).isBetween(0L, MOST_KEYS);
    }

    @Test
    void ring_membershipChanges_isAlwaysThatOfTheRequestsPool() throws Exception {
        ringUnderChurn(600);
    }

    @Test
    void manual_membershipChangesAndTooManyKeys_staysWithinItsBounds() throws Exception {
        manualUnderChurn(20_000, AssignmentMode.MIN_GROUP);
    }

    @Test
    @Tag("soak")
    void ring_membershipChanges_forLong() throws Exception {
        ringUnderChurn(60_000);
    }

    @Test
    @Tag("soak")
    void manual_membershipChangesAndTooManyKeys_forLong() throws Exception {
        manualUnderChurn(2_000_000, AssignmentMode.MIN_LOAD);
    }

    @Test
    void manual_newKeysFromAllThreads_eachGetsOneWorker() throws Exception {
        for (int i = 0; i < 8; i++) {
            fleet.add();
        }
        LoadBalancingPolicy policy = policy(manual(AssignmentMode.RANDOM, 1_000_000));
        int keys = 20_000;
        ExecutorService executor = Executors.newFixedThreadPool(READERS);
        try {
            List<Future<Map<String, Worker>>> results = new ArrayList<>();
            for (int r = 0; r < READERS; r++) {
                results.add(executor.submit(() -> {
                    Candidates candidates = new Candidates();
                    Map<String, Worker> seen = new HashMap<>();
                    for (int i = 0; i < keys; i++) {
                        SelectionContext context = PolicyScene.context(RoutingKeys.of(null, "k" + i, null));
                        candidates.fill(fleet.pool(), Set.of());
                        seen.put("k" + i, requireNonNull(policy.select(candidates, context)));
                    }
                    return seen;
                }));
            }
            Map<String, Worker> first = results.get(0).get(60, TimeUnit.SECONDS);
            for (Future<Map<String, Worker>> other : results) {
                assertThat(other.get(60, TimeUnit.SECONDS)).isEqualTo(first);
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(policy.rememberedKeys()).isEqualTo(keys);
    }

    @Test
    void stickyKeys_addedDroppedAndExpiredAtOnce_sizeIsTrue() throws Exception {
        FakeTicker ticker = new FakeTicker();
        StickyKeys keys = new StickyKeys(100, Duration.ofMillis(50), Duration.ofMillis(1), ticker);
        URI url = URI.create("http://w:1");
        ExecutorService executor = Executors.newFixedThreadPool(READERS + 1);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int r = 0; r < READERS; r++) {
                SplittableRandom random = new SplittableRandom(SEED + r);
                results.add(executor.submit(() -> {
                    int added = 0;
                    for (int i = 0; i < 100_000; i++) {
                        String key = "k" + random.nextInt(400);
                        StickyKeys.Entry entry = keys.use(key);
                        if (entry == null) {
                            added += keys.add(key, url) ? 1 : 0;
                        } else if (random.nextInt(4) == 0) {
                            keys.append(key, entry, url);
                        }
                    }
                    return added;
                }));
            }
            Future<Integer> clock = executor.submit(() -> {
                int turns = 0;
                while (!finished.get()) {
                    ticker.advanceMillis(1);
                    keys.maintain();
                    turns++;
                }
                return turns;
            });
            for (Future<Integer> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isPositive();
            }
            finished.set(true);
            assertThat(clock.get(30, TimeUnit.SECONDS)).isPositive();
        } finally {
            finished.set(true);
            executor.shutdownNow();
        }
        int present = 0;
        for (int i = 0; i < 400; i++) {
            present += keys.use("k" + i) == null ? 0 : 1;
        }
        assertThat(keys.size()).isEqualTo(present).isLessThanOrEqualTo(100);
    }

    @Test
    void bucket_manyThreadsAndAMovingClock_workEndsAtZero() throws Exception {
        FakeTicker ticker = new FakeTicker();
        BucketWindow window = new BucketWindow(Duration.ofSeconds(5).toNanos(), ticker);
        BucketWindow.Work[] works = {new BucketWindow.Work(), new BucketWindow.Work(), new BucketWindow.Work()};
        ExecutorService executor = Executors.newFixedThreadPool(READERS);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int r = 0; r < READERS; r++) {
                SplittableRandom random = new SplittableRandom(SEED + r);
                results.add(executor.submit(() -> {
                    int sent = 0;
                    for (int i = 0; i < 200_000; i++) {
                        window.advance(works);
                        window.add(works[random.nextInt(3)], random.nextInt(1_000));
                        if (i % 50 == 0) {
                            ticker.advanceMillis(random.nextInt(40));
                        }
                        sent++;
                    }
                    return sent;
                }));
            }
            for (Future<Integer> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isPositive();
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(works).allMatch(work -> work.get() >= 0);
        assertThat(window.lengths(true)).isSorted().hasSizeLessThanOrEqualTo(4_096);
        ticker.advance(Duration.ofSeconds(20));
        window.advance(works);
        assertThat(works).allMatch(work -> work.get() == 0);
        assertThat(window.lengths(true)).isEmpty();
        assertThat(window.lengths(false)).hasSize(4_096);
    }

    @Test
    void bucket_manyThreadsUnderChurn_isAlwaysACandidate() throws Exception {
        LoadBalancingPolicy policy = policy(new PolicyConfig.Bucket(64, 1.5, Duration.ofSeconds(1)));
        List<Callable<Integer>> readers = new ArrayList<>();
        for (int r = 0; r < READERS; r++) {
            SplittableRandom random = new SplittableRandom(SEED + r);
            readers.add(() -> {
                Candidates candidates = new Candidates();
                Prompt[] prompts = {Prompt.ofText("x".repeat(10)), Prompt.ofText("x".repeat(900)), Prompt.NONE};
                int chosen = 0;
                for (int i = 0; i < 10_000; i++) {
                    candidates.fill(fleet.pool(), Set.of());
                    SelectionContext context = PolicyScene.context(RoutingKeys.NONE);
                    context.prompt(prompts[random.nextInt(3)]);
                    Worker worker = policy.select(candidates, context);
                    if (!candidates.isEmpty()) {
                        chosen++;
                        assertThat(candidates.contains(requireNonNull(worker))).isTrue();
                    }
                }
                return chosen;
            });
        }
        run(policy, readers);
    }
}
