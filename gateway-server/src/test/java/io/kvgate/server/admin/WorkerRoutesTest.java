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
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.core.worker.WorkerMetadata;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.monitor.Fleet;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerRoutesTest {
    private final AdminFixture admin = new AdminFixture();
    private final Fleet fleet = admin.fleet;

    @AfterEach
    void close() {
        admin.close();
    }

    private JsonNode accepted(String method, String target, String body) {
        ControlResponse response = admin.call(method, target, body);
        assertThat(response.status()).isEqualTo(202);
        JsonNode json = AdminFixture.json(response);
        assertThat(json.get("status").textValue()).isEqualTo("accepted");
        return json;
    }

    private GatewayException refused(String method, String target, String body) {
        return requireNonNull(catchThrowableOfType(GatewayException.class, () -> admin.call(method, target, body)));
    }

    private Worker only() {
        assertThat(fleet.registry.snapshot().workers()).hasSize(1);
        return fleet.registry.snapshot().workers().get(0);
    }

    @Test
    void post_allFields_areHonoured() {
        ControlResponse response = admin.call("POST", "/workers", """
                {"url":"http://127.0.0.1:9","api_key":"w-key","model_id":"m","priority":70,"cost":2.5,
                 "worker_type":"regular","bootstrap_port":8998,"runtime":"sglang","labels":{"zone":"a"},
                 "health_check_timeout_secs":3,"health_check_interval_secs":7,"health_success_threshold":4,
                 "health_failure_threshold":5,"disable_health_check":true}
                """);

        Worker worker = only();
        JsonNode body = AdminFixture.json(response);
        assertThat(response.status()).isEqualTo(202);
        assertThat(response.headers()).containsEntry("Location", "/workers/" + worker.id());
        assertThat(body.get("worker_id").textValue()).isEqualTo(worker.id().toString());
        assertThat(body.get("url").textValue()).isEqualTo("http://127.0.0.1:9");
        assertThat(body.get("location").textValue()).isEqualTo("/workers/" + worker.id());
        assertThat(body.has("warnings")).isFalse();

        JsonNode shown = admin.getJson("/workers/" + worker.id());
        assertThat(shown.get("model_id").textValue()).isEqualTo("m");
        assertThat(shown.get("priority").intValue()).isEqualTo(70);
        assertThat(shown.get("cost").doubleValue()).isEqualTo(2.5);
        assertThat(shown.get("worker_type").textValue()).isEqualTo("regular");
        assertThat(shown.get("bootstrap_port").intValue()).isEqualTo(8998);
        assertThat(shown.at("/metadata/zone").textValue()).isEqualTo("a");
        assertThat(shown.get("disable_health_check").booleanValue()).isTrue();
        assertThat(shown.at("/health/check_interval_secs").doubleValue()).isEqualTo(7);
        assertThat(shown.at("/health/check_timeout_secs").doubleValue()).isEqualTo(3);
        assertThat(shown.at("/health/success_threshold").intValue()).isEqualTo(4);
        assertThat(shown.at("/health/failure_threshold").intValue()).isEqualTo(5);
        assertThat(shown.get("api_key_set").booleanValue()).isTrue();
        assertThat(shown.toString()).doesNotContain("w-key");
        assertThat(worker.spec().apiKey()).isEqualTo("w-key");
        assertThat(fleet.count(GatewayMeter.DISCOVERY_REGISTRATIONS, "manual", "success"))
                .isEqualTo(1);
    }

    /** Field report 117. */
    @ParameterizedTest
    @ValueSource(
            strings = {"http://127.0.0.1:8001", "http://127.0.0.1:8001/", "127.0.0.1:8001", "HTTP://127.0.0.1:8001"})
    void post_sameWorkerInAnySpelling_is409WithId(String url) {
        accepted("POST", "/workers", "{\"url\":\"http://127.0.0.1:8001\"}");

        GatewayException error = refused("POST", "/workers", "{\"url\":\"" + url + "\"}");

        assertThat(error.code()).isEqualTo(ErrorCode.WORKER_EXISTS);
        assertThat(error.message()).contains(only().id().toString());
        assertThat(fleet.count(GatewayMeter.DISCOVERY_REGISTRATIONS, "manual", "duplicate"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|url",
                "{\"url\":5}|url",
                "{\"url\":\"http://\"}|url",
                "{\"url\":\"grpc://h:1\"}|url",
                "{\"url\":\"http://u:p@h:1\"}|url",
                "{\"url\":\"h:1\",\"api_key\":1}|api_key",
                "{\"url\":\"h:1\",\"api_key\":\"a\\nb\"}|api_key",
                "{\"url\":\"h:1\",\"model_id\":\" \"}|model_id",
                "{\"url\":\"h:1\",\"priority\":\"high\"}|priority",
                "{\"url\":\"h:1\",\"priority\":101}|priority",
                "{\"url\":\"h:1\",\"cost\":-1}|cost",
                "{\"url\":\"h:1\",\"cost\":1e999}|cost",
                "{\"url\":\"h:1\",\"worker_type\":\"prefill\"}|worker_type",
                "{\"url\":\"h:1\",\"worker_type\":\"decode\"}|worker_type",
                "{\"url\":\"h:1\",\"worker_type\":\"odd\"}|worker_type",
                "{\"url\":\"h:1\",\"runtime\":\"grpc\"}|runtime",
                "{\"url\":\"h:1\",\"runtime\":\"external\"}|runtime",
                "{\"url\":\"h:1\",\"connection_mode\":\"grpc\"}|connection_mode",
                "{\"url\":\"h:1\",\"bootstrap_port\":0}|bootstrap_port",
                "{\"url\":\"h:1\",\"labels\":[]}|labels",
                "{\"url\":\"h:1\",\"labels\":{\"a\":1}}|labels.a",
                "{\"url\":\"h:1\",\"health_check_timeout_secs\":0}|health_check_timeout_secs",
                "{\"url\":\"h:1\",\"health_check_interval_secs\":1.5}|health_check_interval_secs",
                "{\"url\":\"h:1\",\"health_success_threshold\":0}|health_success_threshold",
                "{\"url\":\"h:1\",\"health_failure_threshold\":\"3\"}|health_failure_threshold",
                "{\"url\":\"h:1\",\"disable_health_check\":\"yes\"}|disable_health_check"
            })
    void post_wrongField_is400NamingIt(String body, String field) {
        GatewayException error = refused("POST", "/workers", body);

        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(error.message()).contains(field).contains("(expected: ");
        assertThat(fleet.registry.snapshot().workers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "null", "{", "{\"url\":\"h:1\"} x", "{\"url\":\"h:1\",\"url\":\"h:2\"}"})
    void post_noJsonObject_is400(String body) {
        assertThat(refused("POST", "/workers", body).code()).isEqualTo(ErrorCode.INVALID_JSON);
    }

    @Test
    void post_unknownField_isAcceptedWithWarning() {
        JsonNode body = accepted("POST", "/workers", "{\"url\":\"h:1\",\"dp_aware\":true,\"zzz\":1}");

        assertThat(body.get("warnings").toString())
                .isEqualTo("[\"dp_aware: has no effect here\",\"zzz: has no effect here\"]");
        assertThat(only().spec().url()).isEqualTo(URI.create("http://h:1"));
    }

    /** Field report 117: what becomes of a registration can be asked. */
    @Test
    void get_pendingAndFailed_areListedWithReason() {
        Worker worker = fleet.pending(Fleet.deadUrl(), null);

        JsonNode pending = admin.getJson("/workers");
        assertThat(pending.at("/workers/0/status").textValue()).isEqualTo("pending");
        assertThat(pending.at("/workers/0/job_status/status").textValue()).isEqualTo("pending");
        assertThat(pending.at("/workers/0/model_id").textValue()).isEqualTo("unknown");
        assertThat(pending.get("total").intValue()).isEqualTo(1);
        assertThat(pending.get("stats").toString())
                .isEqualTo("{\"prefill_count\":0,\"decode_count\":0,\"regular_count\":1}");

        fleet.registry.setStatus(worker, WorkerStatus.FAILED, "connection refused");
        JsonNode failed = admin.getJson("/workers/" + worker.id());
        assertThat(failed.get("is_healthy").booleanValue()).isFalse();
        assertThat(failed.get("status").textValue()).isEqualTo("failed");
        assertThat(failed.get("status_reason").textValue()).isEqualTo("connection refused");
        assertThat(failed.at("/job_status/message").textValue()).isEqualTo("connection refused");
    }

    @Test
    void get_readyWorker_showsLoadBreakerAndPool() {
        Worker worker = fleet.ready(fleet.engine(), "sglang", "m");
        fleet.registry.reportMetadata(
                worker,
                new WorkerMetadata(
                        List.of("m", "n"), "sglang", 2, 4096, Map.of("model_path", "/p", "api_key", "leak")));
        LoadGuard guard = requireNonNull(worker.tryAcquire());
        worker.reportLoad(new WorkerLoad(2, -1, 30, Double.NaN, fleet.ticker.nanos()));
        fleet.ticker.advance(Duration.ofMillis(1500));

        JsonNode shown = admin.getJson("/workers/" + worker.id());

        assertThat(shown.get("is_healthy").booleanValue()).isTrue();
        assertThat(shown.get("load").intValue()).isEqualTo(1);
        assertThat(shown.get("in_flight").intValue()).isEqualTo(1);
        assertThat(shown.get("connection_mode").textValue()).isEqualTo("HTTP");
        assertThat(shown.get("kv_pool_tokens").longValue()).isEqualTo(4096);
        assertThat(shown.get("models").toString()).isEqualTo("[\"m\",\"n\"]");
        assertThat(shown.get("breaker").toString()).isEqualTo("{\"state\":\"closed\",\"consecutive_failures\":0}");
        assertThat(shown.get("engine_load").toString())
                .isEqualTo(
                        "{\"running_requests\":2,\"waiting_requests\":null,\"tokens\":30,\"kv_usage\":null,\"age_secs\":1.5}");
        assertThat(shown.at("/metadata/model_path").textValue()).isEqualTo("/p");
        assertThat(shown.has("job_status")).isFalse();
        assertThat(shown.toString()).doesNotContain("leak");
        guard.close();
    }

    @Test
    void item_badOrUnknownId_isRefused() {
        String unknown = "00000000-0000-0000-0000-000000000000";
        for (String method : List.of("GET", "PUT", "DELETE")) {
            assertThat(refused(method, "/workers/1-1-1-1-1", "{}").code()).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(refused(method, "/workers/" + unknown, "{}").code()).isEqualTo(ErrorCode.WORKER_NOT_FOUND);
        }
    }

    /** Field report 117: visible on the next GET, and nothing else is reset. */
    @Test
    void put_changes_areVisibleAndKeepState() {
        Worker worker = fleet.ready(fleet.engine(), "sglang", "m");
        accepted("PUT", "/workers/" + worker.id(), "{\"labels\":{\"a\":\"1\",\"b\":\"2\"}}");
        LoadGuard failing = requireNonNull(worker.tryAcquire());
        failing.failed();
        failing.close();
        LoadGuard guard = requireNonNull(worker.tryAcquire());

        accepted(
                "PUT",
                "/workers/" + worker.id(),
                "{\"priority\":9,\"cost\":0,\"labels\":{\"b\":null,\"c\":\"3\"},\"api_key\":\"new-key\","
                        + "\"health_check_interval_secs\":11}");

        JsonNode shown = admin.getJson("/workers/" + worker.id());
        assertThat(shown.get("priority").intValue()).isEqualTo(9);
        assertThat(shown.get("cost").doubleValue()).isZero();
        assertThat(shown.get("metadata").toString()).isEqualTo("{\"a\":\"1\",\"c\":\"3\"}");
        assertThat(shown.get("api_key_set").booleanValue()).isTrue();
        assertThat(shown.at("/health/check_interval_secs").doubleValue()).isEqualTo(11);
        assertThat(shown.at("/health/check_timeout_secs").doubleValue()).isEqualTo(5);
        assertThat(shown.get("status").textValue()).isEqualTo("ready");
        assertThat(shown.get("in_flight").intValue()).isEqualTo(1);
        assertThat(shown.at("/breaker/consecutive_failures").intValue()).isEqualTo(1);
        guard.close();

        accepted("PUT", "/workers/" + worker.id(), "{\"api_key\":null}");
        assertThat(worker.spec().apiKey()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"url\":\"http://h:2\"}|url",
                "{\"worker_type\":\"regular\"}|worker_type",
                "{\"model_id\":\"x\"}|model_id",
                "{\"priority\":-1}|priority",
                "{\"labels\":{\"a\":true}}|labels.a"
            })
    void put_whatCannotChange_is400(String body, String field) {
        Worker worker = fleet.pending(Fleet.deadUrl(), null);

        GatewayException error = refused("PUT", "/workers/" + worker.id(), body);

        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(error.message()).startsWith(field + ":");
    }

    /** Field report 117: the second DELETE of an idle worker is 404. */
    @Test
    void delete_idleWorker_isGoneAtOnce() {
        Worker worker = fleet.ready(fleet.engine(), "sglang", "m");

        accepted("DELETE", "/workers/" + worker.id(), "");

        assertThat(refused("GET", "/workers/" + worker.id(), "").code()).isEqualTo(ErrorCode.WORKER_NOT_FOUND);
        assertThat(refused("DELETE", "/workers/" + worker.id(), "").code()).isEqualTo(ErrorCode.WORKER_NOT_FOUND);
        assertThat(fleet.count(GatewayMeter.DISCOVERY_DEREGISTRATIONS, "manual", "drained"))
                .isEqualTo(1);
    }

    @Test
    void delete_busyWorker_drains_andMayBeRepeated() {
        Worker worker = fleet.ready(fleet.engine(), "sglang", "m");
        LoadGuard guard = requireNonNull(worker.tryAcquire());

        accepted("DELETE", "/workers/" + worker.id(), "");
        accepted("DELETE", "/workers/" + worker.id(), "");

        assertThat(admin.getJson("/workers/" + worker.id()).get("status").textValue())
                .isEqualTo("draining");
        assertThat(admin.get("/readiness").status()).isEqualTo(503);
        assertThat(fleet.count(GatewayMeter.DISCOVERY_DEREGISTRATIONS, "manual", "drained"))
                .isEqualTo(1);
        guard.close();
        assertThat(refused("GET", "/workers/" + worker.id(), "").code()).isEqualTo(ErrorCode.WORKER_NOT_FOUND);
    }

    @Test
    void delete_force_removesBusyWorker() {
        Worker worker = fleet.ready(fleet.engine(), "sglang", "m");
        LoadGuard guard = requireNonNull(worker.tryAcquire());

        assertThat(refused("DELETE", "/workers/" + worker.id() + "?force=maybe", "")
                        .code())
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        accepted("DELETE", "/workers/" + worker.id() + "?force=true", "");

        assertThat(fleet.registry.snapshot().workers()).isEmpty();
        guard.close();
    }

    @Test
    void head_onList_answersAsGet() {
        assertThat(admin.call("HEAD", "/workers", "").status()).isEqualTo(200);
    }
}
