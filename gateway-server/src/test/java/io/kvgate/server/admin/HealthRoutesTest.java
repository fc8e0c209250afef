package io.kvgate.server.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.admin.ReadinessCheck.Hold;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.monitor.Fleet;
import io.kvgate.server.monitor.StubEngine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HealthRoutesTest {
    private final AdminFixture admin = new AdminFixture();
    private final Fleet fleet = admin.fleet;

    @AfterEach
    void close() {
        admin.close();
    }

    private void assertNotReady(String reason, int healthy, int total) {
        ControlResponse response = admin.get("/readiness");
        assertThat(response.status()).isEqualTo(503);
        JsonNode body = AdminFixture.json(response);
        assertThat(body.get("status").textValue()).isEqualTo("not ready");
        assertThat(body.get("reason").textValue()).isEqualTo(reason);
        assertThat(body.get("healthy_workers").intValue()).isEqualTo(healthy);
        assertThat(body.get("total_workers").intValue()).isEqualTo(total);
        assertThat(fleet.metrics.value(GatewayMeter.READY)).isZero();
        assertAlive();
    }

    private void assertReady(int healthy, int total) {
        ControlResponse response = admin.get("/readiness");
        assertThat(response.status()).isEqualTo(200);
        assertThat(AdminFixture.text(response))
                .isEqualTo(
                        "{\"status\":\"ready\",\"healthy_workers\":" + healthy + ",\"total_workers\":" + total + "}");
        assertThat(fleet.metrics.value(GatewayMeter.READY)).isEqualTo(1);
        assertAlive();
    }

    private void assertAlive() {
        for (String path : new String[] {"/liveness", "/health"}) {
            ControlResponse response = admin.get(path);
            assertThat(response.status()).isEqualTo(200);
            assertThat(AdminFixture.text(response)).isEqualTo("OK");
        }
    }

    /** Field report 108: with no worker, with one that is down, with one of two up. */
    @Test
    void readiness_followsWorkers() {
        assertNotReady("no workers registered", 0, 0);

        fleet.pending(Fleet.deadUrl(), null);
        assertNotReady("insufficient healthy workers", 0, 1);

        Worker worker = fleet.ready(fleet.engine(), "sglang", "m");
        assertReady(1, 2);

        fleet.registry.setStatus(worker, WorkerStatus.NOT_READY, "down");
        assertNotReady("insufficient healthy workers", 0, 2);
    }

    /** Field report 113. */
    @Test
    void readiness_allBreakersOpen_isNotReady_andReadyAfterRecovery() {
        Worker worker = fleet.ready(fleet.engine(), "sglang", "m");
        assertReady(1, 1);

        for (int i = 0; i < 2; i++) {
            LoadGuard guard = requireNonNull(worker.tryAcquire());
            guard.failed();
            guard.close();
        }
        assertNotReady("circuit breakers of all healthy workers are open", 0, 1);

        fleet.ticker.advance(Duration.ofSeconds(61));
        assertReady(1, 1);
    }

    @Test
    void readiness_held_saysWhy() {
        fleet.ready(fleet.engine(), "sglang", "m");

        admin.readiness.hold(Hold.WARMING_UP);
        assertNotReady("warming up", 1, 1);
        admin.readiness.hold(Hold.DRAINING);
        admin.readiness.release(Hold.WARMING_UP);
        assertNotReady("draining", 1, 1);
        admin.readiness.release(Hold.DRAINING);

        assertReady(1, 1);
    }

    @Test
    void healthGenerate_sglang_asksItsOwnEndpoint() {
        StubEngine engine = fleet.engine().on("/health_generate", 200, "");
        Worker worker = fleet.ready(engine, "sglang", "m");

        JsonNode body = admin.getJson("/health_generate");

        assertThat(body.get("worker_id").textValue()).isEqualTo(worker.id().toString());
        assertThat(engine.seen()).extracting(StubEngine.Seen::method).containsExactly("GET");
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm", "unknown"})
    void healthGenerate_noSuchEndpoint_completesOneToken(String kind) {
        StubEngine engine = fleet.engine().on("/v1/completions", 200, "{}");
        fleet.ready(engine, kind, "the-model");

        assertThat(admin.get("/health_generate").status()).isEqualTo(200);

        assertThat(engine.seen())
                .filteredOn(seen -> seen.path().equals("/v1/completions"))
                .extracting(StubEngine.Seen::body)
                .containsExactly("{\"model\":\"the-model\",\"prompt\":\"0\",\"max_tokens\":1}");
    }

    @Test
    void healthGenerate_oneWorkerFails_triesAnother() {
        fleet.ready(fleet.engine().on("/health_generate", 500, ""), "sglang", "m");
        fleet.ready(fleet.engine().on("/health_generate", 200, ""), "sglang", "m");

        assertThat(admin.get("/health_generate").status()).isEqualTo(200);
        assertThat(admin.get("/health_generate").status()).isEqualTo(200);
    }

    @Test
    void healthGenerate_allFail_is503WithoutAddress() {
        Worker worker = fleet.ready(fleet.engine().on("/health_generate", 500, ""), "sglang", "m");

        GatewayException error = catchThrowableOfType(GatewayException.class, () -> admin.get("/health_generate"));

        assertThat(error.code()).isEqualTo(ErrorCode.NO_AVAILABLE_WORKERS);
        assertThat(error.message()).contains(worker.id().toString(), "HTTP 500").doesNotContain("127.0.0.1");
    }

    @Test
    void healthGenerate_noWorkers_is503() {
        GatewayException error = catchThrowableOfType(GatewayException.class, () -> admin.get("/health_generate"));

        assertThat(error.code().status()).isEqualTo(503);
    }

    @Test
    void healthGenerate_manyAtOnce_generateOnce() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        StubEngine engine = fleet.engine().onGated("/health_generate", "{}", gate);
        fleet.ready(engine, "sglang", "m");

        CompletableFuture<ControlResponse> first = CompletableFuture.supplyAsync(() -> admin.get("/health_generate"));
        Awaitility.await().until(() -> engine.count("/health_generate") == 1);
        CompletableFuture<ControlResponse> second = CompletableFuture.supplyAsync(() -> admin.get("/health_generate"));
        CompletableFuture<?> unanswered = CompletableFuture.anyOf(first, second);
        assertThat(unanswered).isNotDone();
        gate.countDown();

        assertThat(first.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        assertThat(second.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
    }
}
