package io.kvgate.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.health.HealthMonitor;
import io.kvgate.core.health.ProbeResult;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpHealthProbeTest {
    private static final String MODELS = "{\"data\":[{\"id\":\"m\"}]}";
    private final Fleet fleet = new Fleet();
    private final WorkerMetadataProbe metadata =
            new WorkerMetadataProbe(fleet.registry, fleet.http, Duration.ofMillis(1));
    private final HttpHealthProbe probe = new HttpHealthProbe(fleet.http, metadata);

    @AfterEach
    void close() {
        fleet.close();
    }

    private ProbeResult probe(Worker worker) throws Exception {
        return probe(probe, worker);
    }

    private static ProbeResult probe(HttpHealthProbe probe, Worker worker) throws Exception {
        CompletableFuture<ProbeResult> result = new CompletableFuture<>();
        probe.probe(worker, result::complete);
        return result.get(30, TimeUnit.SECONDS);
    }

    @Test
    void probe_keyRequired_sendsItEverywhere() throws Exception {
        StubEngine engine =
                fleet.engine().requireKey("w-key").on("/health", 200, "").on("/v1/models", 200, MODELS);
        Worker worker = fleet.pending(engine.url(), "w-key");

        assertThat(probe(worker).healthy()).isTrue();

        assertThat(worker.modelIds()).containsExactly("m");
        assertThat(engine.seen()).allMatch(seen -> "Bearer w-key".equals(seen.authorization()));
    }

    @Test
    void probe_wrongKey_saysStatus() throws Exception {
        StubEngine engine = fleet.engine().requireKey("w-key").on("/health", 200, "");

        ProbeResult result = probe(fleet.pending(engine.url(), "other"));

        assertThat(result.healthy()).isFalse();
        assertThat(result.detail()).contains("401").doesNotContain("other");
    }

    @Test
    void probe_refused_isUnhealthy() throws Exception {
        ProbeResult result = probe(fleet.pending(Fleet.deadUrl(), null));

        assertThat(result.healthy()).isFalse();
        assertThat(result.detail()).contains("refused");
    }

    @Test
    void probe_healthyButNameless_isHealthyAfterTries() throws Exception {
        StubEngine engine = fleet.engine().on("/health", 204, "").on("/v1/models", 500, "");
        Worker worker = fleet.pending(engine.url(), null);

        assertThat(probe(worker).healthy()).isTrue();
        assertThat(worker.modelIds()).containsExactly("unknown");
        assertThat(engine.count("/v1/models")).isEqualTo(3);
    }

    @Test
    void probe_metadataHangs_isNotHealthyYet_andHealthyOnceKnown() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        StubEngine engine = fleet.engine().on("/health", 200, "").onGated("/v1/models", MODELS, gate);
        HttpHealthProbe impatient = new HttpHealthProbe(fleet.http, metadata, Duration.ofMillis(50));
        Worker worker = fleet.pending(engine.url(), null);

        ProbeResult early = probe(impatient, worker);
        gate.countDown();
        ProbeResult later = probe(worker);

        assertThat(early.healthy()).isFalse();
        assertThat(early.detail()).contains("model");
        assertThat(later.healthy()).isTrue();
        assertThat(worker.modelIds()).containsExactly("m");
    }

    @Test
    void probe_readyWorker_asksHealthOnly() throws Exception {
        StubEngine engine = fleet.engine().on("/health", 200, "").on("/v1/models", 200, MODELS);
        Worker worker = fleet.pending(engine.url(), null);
        probe(worker);
        fleet.registry.setStatus(worker, WorkerStatus.READY, "");
        int before = engine.seen().size();

        assertThat(probe(worker).healthy()).isTrue();

        assertThat(engine.seen()).hasSize(before + 1);
    }

    /** With the monitor that decides: no worker is READY before its model is known. */
    @Test
    void monitor_newWorker_isReadyOnlyWithItsModel() {
        StubEngine engine = fleet.engine().on("/health", 200, "").on("/v1/models", 200, MODELS);
        HealthMonitor monitor =
                new HealthMonitor(fleet.registry, probe, Duration.ofMinutes(30), new SplitMixRandom(1), fleet.metrics);
        List<String> modelsWhenReady = new CopyOnWriteArrayList<>();
        fleet.registry.subscribe(event -> {
            if (event instanceof WorkerEvent.StatusChanged change && change.to() == WorkerStatus.READY) {
                modelsWhenReady.addAll(event.worker().modelIds());
            }
        });
        Worker up = fleet.pending(engine.url(), null);
        Worker locked = fleet.pending(fleet.engine().requireKey("k").url(), null);

        Awaitility.await().until(() -> {
            monitor.doWork(fleet.ticker.nanos());
            return up.status() == WorkerStatus.READY && !locked.statusReason().isEmpty();
        });

        assertThat(modelsWhenReady).containsExactly("m");
        assertThat(locked.status()).isEqualTo(WorkerStatus.PENDING);
        assertThat(locked.statusReason()).isEqualTo("401 from worker: check its api key");
    }
}
