package io.kvgate.core.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.FakeTicker;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WorkerRegistryTest {
    private static final URI URL_A = URI.create("http://a:8000");
    private static final URI URL_B = URI.create("http://b:8000");

    private final FakeTicker ticker = new FakeTicker();
    private final WorkerRegistry registry =
            new WorkerRegistry(CircuitBreakerConfig.DEFAULT, ticker, new NoopMetricsRegistry());
    private final List<String> events = new ArrayList<>();

    private Worker add(URI url) {
        return registry.add(WorkerSpec.of(url));
    }

    private Worker addReady(URI url) {
        Worker worker = add(url);
        registry.setStatus(worker, WorkerStatus.READY, "");
        return worker;
    }

    private void record(WorkerEvent event) {
        String host = event.worker().spec().url().getHost();
        if (event instanceof WorkerEvent.StatusChanged changed) {
            events.add(host + ":" + changed.from() + ">" + changed.to());
        } else {
            events.add(host + ":" + event.getClass().getSimpleName());
        }
    }

    private WorkerPool unknownPool() {
        return requireNonNull(registry.snapshot().pool(WorkerRole.REGULAR, "unknown"));
    }

    @Test
    void snapshot_nothingRegistered_isEmpty() {
        WorkerSnapshot snapshot = registry.snapshot();
        assertThat(snapshot.version()).isZero();
        assertThat(snapshot.workers()).isEmpty();
        assertThat(snapshot.models()).isEmpty();
        assertThat(snapshot.pool(WorkerRole.REGULAR, "unknown")).isNull();
        assertThat(snapshot.poolOfRole(WorkerRole.DECODE).members()).isEmpty();
        assertThat(snapshot.poolOfRole(WorkerRole.DECODE).key()).isEqualTo(new PoolKey(WorkerRole.DECODE, "*"));
    }

    @Test
    void add_newWorker_isPendingAndFound() {
        Worker worker = add(URL_A);
        assertThat(worker.status()).isEqualTo(WorkerStatus.PENDING);
        assertThat(worker.available()).isFalse();
        assertThat(worker.tryAcquire()).isNull();
        assertThat(worker.inFlight()).isZero();
        WorkerSnapshot snapshot = registry.snapshot();
        assertThat(snapshot.byId(worker.id())).isSameAs(worker);
        assertThat(snapshot.byUrl(URL_A)).isSameAs(worker);
        assertThat(unknownPool().members()).containsExactly(worker);
        assertThat(unknownPool().ready()).isEmpty();
    }

    @Test
    void add_sameUrlInAnotherSpelling_isRefusedWithTheId() {
        Worker worker = registry.add(WorkerSpec.of(URI.create("http://a")));
        assertThatThrownBy(() -> registry.add(WorkerSpec.of(URI.create("HTTP://A:80/"))))
                .isInstanceOfSatisfying(
                        GatewayException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WORKER_EXISTS))
                .hasMessageContaining(worker.id().toString());
        assertThat(registry.snapshot().workers()).containsExactly(worker);
    }

    @Test
    void add_healthChecksDisabled_isReadyAtOnce() {
        Worker worker = registry.add(WorkerSpec.of(URL_A)
                .withHealth(new HealthSettings("/h", Duration.ofSeconds(1), Duration.ofSeconds(1), 1, 1, true)));
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        assertThat(unknownPool().ready()).containsExactly(worker);
    }

    @Test
    void snapshot_afterAChange_theOldOneStays() {
        Worker worker = addReady(URL_A);
        WorkerSnapshot before = registry.snapshot();
        Worker other = addReady(URL_B);
        assertThat(before.workers()).containsExactly(worker);
        assertThat(registry.snapshot().workers()).containsExactly(worker, other);
        assertThat(registry.snapshot().version()).isGreaterThan(before.version());
    }

    @Test
    void setStatus_ready_joinsThePoolsReady() {
        Worker worker = add(URL_A);
        registry.setStatus(worker, WorkerStatus.READY, "");
        assertThat(unknownPool().ready()).containsExactly(worker);
        assertThat(registry.snapshot().poolOfRole(WorkerRole.REGULAR).ready()).containsExactly(worker);
        registry.setStatus(worker, WorkerStatus.NOT_READY, "no answer");
        assertThat(unknownPool().ready()).isEmpty();
        assertThat(unknownPool().members()).containsExactly(worker);
        assertThat(worker.statusReason()).isEqualTo("no answer");
        assertThat(worker.available()).isFalse();
    }

    @Test
    void setStatus_sameStatus_keepsTheReasonAndTellsNobody() {
        Worker worker = add(URL_A);
        registry.subscribe(this::record);
        events.clear();
        long version = registry.snapshot().version();
        registry.setStatus(worker, WorkerStatus.PENDING, "connection refused");
        assertThat(worker.statusReason()).isEqualTo("connection refused");
        assertThat(events).isEmpty();
        assertThat(registry.snapshot().version()).isEqualTo(version);
    }

    @Test
    void setStatus_drainingWorker_staysDraining() {
        Worker worker = addReady(URL_A);
        LoadGuard guard = requireNonNull(worker.tryAcquire());
        registry.drain(worker, "by hand");
        registry.setStatus(worker, WorkerStatus.READY, "");
        assertThat(worker.status()).isEqualTo(WorkerStatus.DRAINING);
        guard.close();
    }

    @Test
    void setStatus_removedWorker_doesNothing() {
        Worker worker = addReady(URL_A);
        registry.remove(worker, "test");
        registry.setStatus(worker, WorkerStatus.NOT_READY, "late");
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        assertThat(registry.snapshot().workers()).isEmpty();
    }

    @Test
    void models_perWorker_makePools() {
        Worker worker = addReady(URL_A);
        registry.reportMetadata(
                worker, new WorkerMetadata(List.of("llama", "lora-1", "llama"), "vllm", 1, 1_000, Map.of()));
        assertThat(worker.modelIds()).startsWith("llama", "lora-1");
        WorkerSnapshot snapshot = registry.snapshot();
        assertThat(requireNonNull(snapshot.pool(WorkerRole.REGULAR, "llama")).ready())
                .containsExactly(worker);
        assertThat(requireNonNull(snapshot.pool(WorkerRole.REGULAR, "lora-1")).ready())
                .containsExactly(worker);
        assertThat(snapshot.pool(WorkerRole.REGULAR, "unknown")).isNull();
        assertThat(snapshot.pool(WorkerRole.PREFILL, "llama")).isNull();
        assertThat(snapshot.models()).containsExactly("llama", "lora-1");
        assertThat(snapshot.poolOfRole(WorkerRole.REGULAR).members()).containsExactly(worker);
    }

    @Test
    void models_overrideInTheSpec_wins() {
        Worker worker = addReady(URL_A);
        registry.reportMetadata(worker, new WorkerMetadata(List.of("told"), "vllm", 1, 0, Map.of()));
        registry.update(
                worker,
                spec -> new WorkerSpec(spec.url(), spec.role(), "mine", null, 50, 1, Map.of(), null, spec.health()));
        assertThat(worker.modelIds()).containsExactly("mine");
        assertThat(registry.snapshot().models()).containsExactly("mine");
    }

    @Test
    void models_drainingWorkersOnly_areNotListed() {
        Worker worker = addReady(URL_A);
        registry.reportMetadata(worker, new WorkerMetadata(List.of("llama"), "vllm", 1, 0, Map.of()));
        LoadGuard guard = requireNonNull(worker.tryAcquire());
        registry.drain(worker, "by hand");
        assertThat(registry.snapshot().models()).isEmpty();
        WorkerPool pool = requireNonNull(registry.snapshot().pool(WorkerRole.REGULAR, "llama"));
        assertThat(pool.members()).containsExactly(worker);
        assertThat(pool.ready()).isEmpty();
        guard.close();
    }

    @Test
    void update_priority_keepsIdBreakerLoadAndStatus() {
        Worker worker = addReady(URL_A);
        LoadGuard guard = requireNonNull(worker.tryAcquire());
        guard.failed();
        registry.update(
                worker,
                spec -> new WorkerSpec(
                        spec.url(), spec.role(), null, "key", 99, 2.0, Map.of("k", "v"), null, spec.health()));
        assertThat(registry.snapshot().byUrl(URL_A)).isSameAs(worker);
        assertThat(worker.spec().priority()).isEqualTo(99);
        assertThat(worker.inFlight()).isEqualTo(1);
        assertThat(worker.breaker().consecutiveFailures()).isEqualTo(1);
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        guard.close();
    }

    @Test
    void update_urlOrRole_isRefused() {
        Worker worker = add(URL_A);
        assertThatThrownBy(() -> registry.update(worker, spec -> WorkerSpec.of(URL_B)))
                .isInstanceOfSatisfying(
                        GatewayException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
        assertThat(worker.spec().url()).isEqualTo(URL_A);
    }

    @Test
    void update_removedWorker_isNotFound() {
        Worker worker = add(URL_A);
        registry.remove(worker, "test");
        assertThatThrownBy(() -> registry.update(worker, spec -> spec))
                .isInstanceOfSatisfying(
                        GatewayException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WORKER_NOT_FOUND));
    }

    @Test
    void drain_idleWorker_isRemovedAtOnce() {
        Worker worker = addReady(URL_A);
        registry.subscribe(this::record);
        registry.drain(worker, "by hand");
        assertThat(registry.snapshot().workers()).isEmpty();
        assertThat(events).containsExactly("a:Added", "a:READY>DRAINING", "a:Removed");
    }

    @Test
    void drain_busyWorker_isRemovedWhenTheLastGuardCloses() {
        Worker worker = addReady(URL_A);
        LoadGuard first = requireNonNull(worker.tryAcquire());
        LoadGuard second = requireNonNull(worker.tryAcquire());
        registry.drain(worker, "by hand");
        assertThat(worker.tryAcquire()).isNull();
        first.close();
        assertThat(registry.snapshot().workers()).containsExactly(worker);
        second.close();
        assertThat(registry.snapshot().workers()).isEmpty();
        assertThat(worker.inFlight()).isZero();
    }

    @Test
    void remove_twice_isToldOnce() {
        Worker worker = addReady(URL_A);
        registry.subscribe(this::record);
        registry.remove(worker, "test");
        registry.remove(worker, "test");
        assertThat(events).containsExactly("a:Added", "a:Removed");
    }

    @Test
    void reAdded_afterRemoval_isAnotherWorkerThatOldGuardsDoNotTouch() {
        Worker old = addReady(URL_A);
        LoadGuard guard = requireNonNull(old.tryAcquire());
        registry.remove(old, "test");
        Worker fresh = addReady(URL_A);
        assertThat(fresh.id()).isNotEqualTo(old.id());
        LoadGuard freshGuard = requireNonNull(fresh.tryAcquire());
        guard.failed();
        guard.close();
        assertThat(fresh.inFlight()).isEqualTo(1);
        assertThat(fresh.breaker().consecutiveFailures()).isZero();
        registry.remove(old, "late");
        assertThat(registry.snapshot().byUrl(URL_A)).isSameAs(fresh);
        freshGuard.close();
    }

    @Test
    void subscribe_workersAlreadyThere_areToldFirst() {
        add(URL_A);
        registry.subscribe(this::record);
        add(URL_B);
        assertThat(events).containsExactly("a:Added", "b:Added");
    }

    @Test
    void listener_calledAfterPublication_seesTheSnapshot() {
        List<Integer> sizes = new ArrayList<>();
        registry.subscribe(event -> sizes.add(registry.snapshot().workers().size()));
        Worker worker = add(URL_A);
        registry.remove(worker, "test");
        assertThat(sizes).containsExactly(1, 0);
    }

    @Test
    void listener_thatWrites_causesEventsInOrder() {
        registry.subscribe(event -> {
            if (event instanceof WorkerEvent.Added) {
                registry.setStatus(event.worker(), WorkerStatus.READY, "");
            }
        });
        registry.subscribe(this::record);
        add(URL_A);
        assertThat(events).containsExactly("a:Added", "a:PENDING>READY");
    }

    @Test
    void listener_thatThrows_stopsNobody() {
        registry.subscribe(event -> {
            throw new IllegalStateException("expected by the test");
        });
        registry.subscribe(this::record);
        add(URL_A);
        add(URL_B);
        assertThat(events).containsExactly("a:Added", "b:Added");
    }

    @Test
    void spec_printed_doesNotShowTheKey() {
        WorkerSpec spec = new WorkerSpec(
                URL_A, WorkerRole.REGULAR, null, "s3cret", 50, 1, Map.of(), null, HealthSettings.DEFAULT);
        assertThat(spec.toString()).doesNotContain("s3cret").contains("apiKey=set");
    }
}
