package io.kvgate.server.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class StaticDiscoveryTest {
    private final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
    private final WorkerRegistry registry = new WorkerRegistry(CircuitBreakerConfig.DEFAULT, () -> 0, metrics);

    /** Field report 108: workers need not be up. */
    @Test
    void start_workersDown_registersThemPending() {
        List<WorkerSpec> specs = List.of(
                WorkerSpec.of(URI.create("http://127.0.0.1:1")), WorkerSpec.of(URI.create("http://127.0.0.1:2")));

        try (StaticDiscovery discovery = new StaticDiscovery(specs, metrics)) {
            discovery.start(registry);
        }

        assertThat(registry.snapshot().workers())
                .extracting(worker -> worker.spec().url().getPort())
                .containsExactly(1, 2);
        assertThat(registry.snapshot().workers()).allMatch(worker -> worker.status() == WorkerStatus.PENDING);
        assertThat(metrics.value(GatewayMeter.DISCOVERY_REGISTRATIONS, "static", "success"))
                .isEqualTo(2);
    }

    @Test
    void start_duplicate_isCountedAndSkipped() {
        WorkerSpec spec = WorkerSpec.of(URI.create("http://127.0.0.1:1"));

        try (StaticDiscovery discovery = new StaticDiscovery(List.of(spec, spec), metrics)) {
            discovery.start(registry);
        }

        assertThat(registry.snapshot().workers()).hasSize(1);
        assertThat(metrics.value(GatewayMeter.DISCOVERY_REGISTRATIONS, "static", "duplicate"))
                .isEqualTo(1);
    }

    @Test
    void start_noWorkers_registersNothing() {
        try (StaticDiscovery discovery = new StaticDiscovery(List.of(), metrics)) {
            discovery.start(registry);
        }

        assertThat(registry.snapshot().workers()).isEmpty();
    }
}
