package io.kvgate.core.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.resilience.CircuitBreaker;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.FakeTicker;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class WorkerTest {
    private static final String LABEL = "http://a:8000";
    private static final CircuitBreakerConfig BREAKER =
            new CircuitBreakerConfig(2, 1, Duration.ofSeconds(30), Duration.ofMinutes(1), true);

    private final FakeTicker ticker = new FakeTicker();
    private final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
    private final WorkerRegistry registry = new WorkerRegistry(BREAKER, ticker, metrics);
    private final Worker worker = ready();

    private Worker ready() {
        Worker added = registry.add(WorkerSpec.of(URI.create(LABEL)));
        registry.setStatus(added, WorkerStatus.READY, "");
        return added;
    }

    private LoadGuard acquire() {
        return requireNonNull(worker.tryAcquire());
    }

    private void openBreaker() {
        for (int i = 0; i < 2; i++) {
            LoadGuard guard = acquire();
            guard.failed();
            guard.close();
        }
    }

    @Test
    void guard_closed_lowersTheCountOnce() {
        LoadGuard first = acquire();
        LoadGuard second = acquire();
        assertThat(first.worker()).isSameAs(worker);
        assertThat(worker.inFlight()).isEqualTo(2);
        first.close();
        first.close();
        assertThat(worker.inFlight()).isEqualTo(1);
        second.close();
        assertThat(worker.inFlight()).isZero();
    }

    @Test
    void guard_failures_openTheBreakerAndStayCounted() {
        LoadGuard first = acquire();
        LoadGuard second = acquire();
        first.failed();
        second.failed();
        assertThat(worker.breaker().state()).isEqualTo(CircuitBreaker.State.OPEN);
        assertThat(worker.available()).isFalse();
        assertThat(worker.inFlight()).isEqualTo(2);
        assertThat(worker.tryAcquire()).isNull();
        assertThat(worker.inFlight()).isEqualTo(2);
        first.close();
        second.close();
        assertThat(worker.inFlight()).isZero();
    }

    @Test
    void guard_judgedTwice_theFirstCounts() {
        LoadGuard guard = acquire();
        guard.succeeded();
        guard.failed();
        guard.failed();
        guard.close();
        assertThat(worker.breaker().consecutiveFailures()).isZero();
        assertThat(metrics.value(GatewayMeter.WORKER_CB_OUTCOMES, LABEL, "success"))
                .isEqualTo(1.0);
        assertThat(metrics.value(GatewayMeter.WORKER_CB_OUTCOMES, LABEL, "failure"))
                .isEqualTo(0.0);
    }

    @Test
    void guard_judgedAfterClose_countsNothing() {
        LoadGuard guard = acquire();
        guard.close();
        guard.failed();
        guard.succeeded();
        assertThat(worker.breaker().consecutiveFailures()).isZero();
        assertThat(metrics.value(GatewayMeter.WORKER_CB_OUTCOMES, LABEL, "success"))
                .isEqualTo(0.0);
    }

    @Test
    void guard_closedUnjudged_givesTheProbesPlaceBack() {
        openBreaker();
        ticker.advance(BREAKER.openFor());
        LoadGuard probe = acquire();
        assertThat(worker.available()).isFalse();
        probe.close();
        assertThat(worker.available()).isTrue();
        LoadGuard next = acquire();
        next.ignored();
        assertThat(worker.available()).isTrue();
        next.close();
        LoadGuard last = acquire();
        last.succeeded();
        last.close();
        assertThat(worker.breaker().state()).isEqualTo(CircuitBreaker.State.CLOSED);
    }

    @Test
    void succeededSince_tellsOfTheLastGoodEnd() {
        long before = ticker.nanos();
        assertThat(worker.succeededSince(before)).isFalse();
        LoadGuard guard = acquire();
        guard.ignored();
        guard.close();
        assertThat(worker.succeededSince(before)).isFalse();
        ticker.advanceMillis(5);
        LoadGuard good = acquire();
        good.succeeded();
        good.close();
        assertThat(worker.succeededSince(before)).isTrue();
        assertThat(worker.succeededSince(ticker.nanos())).isTrue();
        assertThat(worker.succeededSince(ticker.nanos() + 1)).isFalse();
    }

    @Test
    void reportLoad_keepsOwnRequestsOfThatMoment() {
        assertThat(worker.load()).isNull();
        LoadGuard guard = acquire();
        WorkerLoad load = new WorkerLoad(3, 1, 900, 0.4, ticker.nanos());
        worker.reportLoad(load);
        acquire();
        assertThat(worker.load()).isEqualTo(load);
        assertThat(worker.loadReport()).isEqualTo(new LoadReport(load, 1));
        worker.reportLoad(null);
        assertThat(worker.load()).isNull();
        assertThat(worker.loadReport()).isNull();
        guard.close();
    }

    @Test
    void meters_fromRegistrationToRemoval_areThere() {
        LoadGuard guard = acquire();
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH, LABEL)).isEqualTo(1.0);
        assertThat(metrics.value(GatewayMeter.WORKER_REQUESTS_ACTIVE, LABEL)).isEqualTo(1.0);
        assertThat(metrics.value(GatewayMeter.WORKER_CB_STATE, LABEL)).isEqualTo(0.0);
        assertThat(metrics.value(GatewayMeter.WORKER_CB_FAILURES, LABEL)).isEqualTo(0.0);
        assertThat(metrics.value(GatewayMeter.WORKER_CB_SUCCESSES, LABEL)).isEqualTo(0.0);
        registry.setStatus(worker, WorkerStatus.NOT_READY, "test");
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH, LABEL)).isEqualTo(0.0);
        guard.close();
        registry.remove(worker, "test");
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH, LABEL)).isNull();
        assertThat(metrics.value(GatewayMeter.WORKER_REQUESTS_ACTIVE, LABEL)).isNull();
        assertThat(metrics.value(GatewayMeter.WORKER_CB_STATE, LABEL)).isNull();
        assertThat(metrics.value(GatewayMeter.WORKER_CB_FAILURES, LABEL)).isNull();
        assertThat(metrics.value(GatewayMeter.WORKER_CB_SUCCESSES, LABEL)).isNull();
    }

    @Test
    void meters_pendingWorker_areThereAtZero() {
        registry.add(WorkerSpec.of(URI.create("http://b:8000")));
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH, "http://b:8000")).isEqualTo(0.0);
        assertThat(metrics.value(GatewayMeter.WORKER_CB_STATE, "http://b:8000")).isEqualTo(0.0);
    }

    @Test
    void meters_breakerMoves_areCounted() {
        openBreaker();
        assertThat(metrics.value(GatewayMeter.WORKER_CB_STATE, LABEL)).isEqualTo(1.0);
        assertThat(metrics.value(GatewayMeter.WORKER_CB_TRANSITIONS, LABEL, "closed", "open"))
                .isEqualTo(1.0);
        ticker.advance(BREAKER.openFor());
        assertThat(metrics.value(GatewayMeter.WORKER_CB_STATE, LABEL)).isEqualTo(2.0);
        assertThat(metrics.value(GatewayMeter.WORKER_CB_TRANSITIONS, LABEL, "open", "half_open"))
                .isEqualTo(1.0);
    }

    @Test
    void meters_poolSize_followsModels() {
        assertThat(poolSize("unknown")).isEqualTo(1.0);
        Worker other = registry.add(WorkerSpec.of(URI.create("http://b:8000")));
        assertThat(poolSize("unknown")).isEqualTo(2.0);
        registry.reportMetadata(worker, new WorkerMetadata(List.of("llama"), "vllm", 1, 0, Map.of()));
        assertThat(poolSize("llama")).isEqualTo(1.0);
        assertThat(poolSize("unknown")).isEqualTo(1.0);
        registry.remove(other, "test");
        assertThat(poolSize("unknown")).isNull();
        registry.remove(worker, "test");
        assertThat(poolSize("llama")).isNull();
    }

    private @Nullable Double poolSize(String model) {
        return metrics.value(GatewayMeter.WORKER_POOL_SIZE, "regular", "http", model);
    }

    @Test
    void meters_poolOfOneRoleGone_theOtherRolesStays() {
        WorkerSpec prefill = new WorkerSpec(
                URI.create("http://p:1"),
                WorkerRole.PREFILL,
                null,
                null,
                50,
                1,
                Map.of(),
                null,
                HealthSettings.DEFAULT);
        Worker gone = registry.add(prefill);
        assertThat(metrics.value(GatewayMeter.WORKER_POOL_SIZE, "prefill", "http", "unknown"))
                .isEqualTo(1.0);
        registry.remove(gone, "test");
        assertThat(metrics.value(GatewayMeter.WORKER_POOL_SIZE, "prefill", "http", "unknown"))
                .isEqualTo(0.0);
        assertThat(poolSize("unknown")).isEqualTo(1.0);
    }

    @Test
    void spec_badValues_areRefusedByName() {
        URI url = URI.create(LABEL);
        HealthSettings health = HealthSettings.DEFAULT;
        assertThatThrownBy(() -> new WorkerSpec(url, WorkerRole.REGULAR, null, null, 101, 1, Map.of(), null, health))
                .hasMessageStartingWith("priority: 101");
        assertThatThrownBy(() ->
                        new WorkerSpec(url, WorkerRole.REGULAR, null, null, 50, Double.NaN, Map.of(), null, health))
                .hasMessageStartingWith("cost: NaN");
        assertThatThrownBy(() -> new WorkerSpec(url, WorkerRole.REGULAR, " ", null, 50, 1, Map.of(), null, health))
                .hasMessageStartingWith("modelId: blank");
        assertThatThrownBy(() -> new WorkerSpec(url, WorkerRole.PREFILL, null, null, 50, 1, Map.of(), 70_000, health))
                .hasMessageStartingWith("bootstrapPort: 70000");
    }

    @Test
    void healthSettings_badValues_areRefusedByName() {
        Duration second = Duration.ofSeconds(1);
        assertThatThrownBy(() -> new HealthSettings("health", second, second, 1, 1, false))
                .hasMessageStartingWith("endpoint: health");
        assertThatThrownBy(() -> new HealthSettings("/h", Duration.ZERO, second, 1, 1, false))
                .hasMessageStartingWith("interval: ");
        assertThatThrownBy(() -> new HealthSettings("/h", second, Duration.ZERO, 1, 1, false))
                .hasMessageStartingWith("timeout: ");
        assertThatThrownBy(() -> new HealthSettings("/h", second, second, 0, 1, false))
                .hasMessageStartingWith("failureThreshold: 0");
        assertThatThrownBy(() -> new HealthSettings("/h", second, second, 1, 0, false))
                .hasMessageStartingWith("successThreshold: 0");
    }
}
