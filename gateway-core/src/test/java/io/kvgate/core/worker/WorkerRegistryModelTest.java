package io.kvgate.core.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.FakeTicker;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The registry beside a plain map, and under threads. */
final class WorkerRegistryModelTest {
    private static final CircuitBreakerConfig NO_BREAKER =
            new CircuitBreakerConfig(1, 1, Duration.ofSeconds(1), Duration.ofSeconds(1), false);
    private static final List<WorkerStatus> STATUSES =
            List.of(WorkerStatus.PENDING, WorkerStatus.READY, WorkerStatus.NOT_READY, WorkerStatus.FAILED);
    private static final List<String> MODELS = List.of("unknown", "llama", "qwen");

    private final WorkerRegistry registry = new WorkerRegistry(NO_BREAKER, new FakeTicker(), new NoopMetricsRegistry());

    /** What the map knows of a worker. */
    private static final class Entry {
        WorkerStatus status = WorkerStatus.PENDING;
        String model = "unknown";
        final List<LoadGuard> guards = new ArrayList<>();
    }

    private final Map<Worker, Entry> model = new LinkedHashMap<>();

    /** What a listener knows that only hears events. */
    private final Map<Worker, WorkerStatus> heard = new LinkedHashMap<>();

    private void hear(WorkerEvent event) {
        if (event instanceof WorkerEvent.Added) {
            assertThat(heard.put(event.worker(), WorkerStatus.PENDING)).isNull();
        } else if (event instanceof WorkerEvent.StatusChanged changed) {
            assertThat(heard.put(event.worker(), changed.to())).isEqualTo(changed.from());
        } else if (event instanceof WorkerEvent.Removed) {
            assertThat(heard.remove(event.worker())).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void anyHistory_agreesWithAPlainMap(long seed) {
        Random random = new Random(seed);
        registry.subscribe(this::hear);
        long version = 0;
        for (int step = 0; step < 4_000; step++) {
            act(random);
            WorkerSnapshot snapshot = registry.snapshot();
            assertThat(snapshot.version()).isGreaterThanOrEqualTo(version);
            version = snapshot.version();
            check(snapshot, "seed " + seed + ", step " + step);
        }
    }

    private void act(Random random) {
        int dice = random.nextInt(20);
        if (dice < 3 || model.isEmpty()) {
            URI url = URI.create("http://w" + random.nextInt(12) + ":80");
            boolean present =
                    model.keySet().stream().anyMatch(w -> w.spec().url().equals(url));
            try {
                model.put(registry.add(WorkerSpec.of(url)), new Entry());
                assertThat(present).isFalse();
            } catch (GatewayException e) {
                assertThat(present).isTrue();
            }
            return;
        }
        Worker worker = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
        Entry entry = requireNonNull(model.get(worker));
        if (dice < 9) {
            WorkerStatus status = STATUSES.get(random.nextInt(STATUSES.size()));
            registry.setStatus(worker, status, "test");
            entry.status = entry.status == WorkerStatus.DRAINING ? WorkerStatus.DRAINING : status;
        } else if (dice < 11) {
            entry.model = MODELS.get(random.nextInt(MODELS.size()));
            registry.reportMetadata(worker, new WorkerMetadata(List.of(entry.model), "vllm", 1, 0, Map.of()));
        } else if (dice < 15) {
            LoadGuard guard = worker.tryAcquire();
            assertThat(guard != null).isEqualTo(entry.status == WorkerStatus.READY);
            if (guard != null) {
                entry.guards.add(guard);
            }
        } else if (dice < 18 && !entry.guards.isEmpty()) {
            entry.guards.remove(random.nextInt(entry.guards.size())).close();
            forgetIfDrained(worker, entry);
        } else if (dice == 18) {
            registry.drain(worker, "test");
            entry.status = WorkerStatus.DRAINING;
            forgetIfDrained(worker, entry);
        } else if (dice == 19 && random.nextInt(3) == 0) {
            registry.remove(worker, "test");
            model.remove(worker);
        }
    }

    private void forgetIfDrained(Worker worker, Entry entry) {
        if (entry.status == WorkerStatus.DRAINING && entry.guards.isEmpty()) {
            model.remove(worker);
        }
    }

    private void check(WorkerSnapshot snapshot, String where) {
        assertThat(snapshot.workers()).as(where).containsExactlyElementsOf(model.keySet());
        Set<String> served = new TreeSet<>();
        Map<String, List<Worker>> members = new HashMap<>();
        List<Worker> ready = new ArrayList<>();
        Map<Worker, WorkerStatus> statuses = new LinkedHashMap<>();
        model.forEach((worker, entry) -> {
            members.computeIfAbsent(entry.model, key -> new ArrayList<>()).add(worker);
            statuses.put(worker, entry.status);
            if (entry.status != WorkerStatus.DRAINING && !entry.model.equals("unknown")) {
                served.add(entry.model);
            }
            if (entry.status == WorkerStatus.READY) {
                ready.add(worker);
            }
            assertThat(snapshot.byId(worker.id())).isSameAs(worker);
            assertThat(snapshot.byUrl(worker.spec().url())).isSameAs(worker);
            assertThat(worker.inFlight()).isEqualTo(entry.guards.size());
        });
        assertThat(heard).as(where).containsExactlyEntriesOf(statuses);
        assertThat(snapshot.models()).as(where).containsExactlyElementsOf(served);
        WorkerPool all = snapshot.poolOfRole(WorkerRole.REGULAR);
        assertThat(all.members()).as(where).isEqualTo(snapshot.workers());
        assertThat(all.ready()).as(where).isEqualTo(ready);
        for (String name : MODELS) {
            WorkerPool pool = snapshot.pool(WorkerRole.REGULAR, name);
            Collection<Worker> inPool = pool == null ? List.of() : pool.members();
            assertThat(inPool).as(where).containsExactlyElementsOf(members.getOrDefault(name, List.of()));
        }
    }

    @Test
    void manyThreads_addDrainAndUse_endEmptyWithEventsInOrder() throws Exception {
        Map<Worker, AtomicInteger> lives = new ConcurrentHashMap<>();
        AtomicLong wrong = new AtomicLong();
        AtomicInteger telling = new AtomicInteger();
        registry.subscribe(event -> {
            if (telling.incrementAndGet() != 1) {
                wrong.incrementAndGet();
            }
            AtomicInteger life = lives.computeIfAbsent(event.worker(), key -> new AtomicInteger());
            // 0 unknown, 1 added, 2 removed; nothing may come before 1 or after 2.
            int expected = event instanceof WorkerEvent.Added ? 0 : 1;
            int next = event instanceof WorkerEvent.Removed ? 2 : 1;
            if (!life.compareAndSet(expected, next)) {
                wrong.incrementAndGet();
            }
            telling.decrementAndGet();
        });
        int threads = 4;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                results.add(executor.submit(() -> useAndDrain(thread, new SplittableRandom(thread))));
            }
            for (Future<?> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(registry.snapshot().workers()).isEmpty();
        assertThat(wrong).hasValue(0);
        assertThat(lives).hasSize(threads * 150).allSatisfy((worker, life) -> {
            assertThat(life).hasValue(2);
            assertThat(worker.inFlight()).isZero();
        });
    }

    /** Adds workers, uses everybody's, drains its own; others may hold guards of it then. */
    private void useAndDrain(int thread, SplittableRandom random) {
        List<LoadGuard> guards = new ArrayList<>();
        for (int round = 0; round < 150; round++) {
            Worker own = registry.add(WorkerSpec.of(URI.create("http://t" + thread + ":" + (1_000 + round))));
            registry.setStatus(own, WorkerStatus.READY, "");
            for (int i = 0; i < 30; i++) {
                List<Worker> ready =
                        registry.snapshot().poolOfRole(WorkerRole.REGULAR).ready();
                LoadGuard guard = ready.isEmpty()
                        ? null
                        : ready.get(random.nextInt(ready.size())).tryAcquire();
                if (guard != null) {
                    guards.add(guard);
                }
                if (guards.size() > 5) {
                    guards.remove(random.nextInt(guards.size())).close();
                }
            }
            registry.drain(own, "test");
        }
        guards.forEach(LoadGuard::close);
    }
}
