package io.kvgate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.monitor.Fleet;
import io.kvgate.server.monitor.StubEngine;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FanOutRoutesTest {
    private final AdminFixture admin = new AdminFixture();
    private final Fleet fleet = admin.fleet;

    @AfterEach
    void close() {
        admin.close();
    }

    @Test
    void flushCache_allOk_is200() {
        fleet.ready(fleet.engine().on("/flush_cache", 200, "ok"), "sglang", "m");
        fleet.pending(fleet.engine().on("/flush_cache", 200, "ok").url(), null);

        ControlResponse response = admin.call("POST", "/flush_cache", "");

        JsonNode body = AdminFixture.json(response);
        assertThat(response.status()).isEqualTo(200);
        assertThat(body.get("status").textValue()).isEqualTo("success");
        assertThat(body.get("workers_flushed").intValue()).isEqualTo(2);
        assertThat(body.get("total_http_workers").intValue()).isEqualTo(2);
        assertThat(body.get("total_workers").intValue()).isEqualTo(2);
    }

    /** Field report 119: three workers, one dead. */
    @ParameterizedTest
    @CsvSource({"/flush_cache,206", "/abort_request,207"})
    void post_oneDead_isPartialWithResults(String path, int status) {
        StubEngine first = fleet.engine().on(path, 200, "ok");
        StubEngine second = fleet.engine().on(path, 500, "busy");
        URI dead = Fleet.deadUrl();
        fleet.ready(first, "sglang", "m");
        fleet.ready(second, "sglang", "m");
        fleet.pending(dead, null);

        ControlResponse response = admin.call("POST", path, "{\"abort_all\":true}");

        JsonNode body = AdminFixture.json(response);
        assertThat(response.status()).isEqualTo(status);
        assertThat(body.get("status").textValue()).isEqualTo("partial_success");
        assertThat(body.at("/successful/0").textValue()).isEqualTo(first.url().toString());
        assertThat(body.at("/failed/0/worker").textValue())
                .isEqualTo(second.url().toString());
        assertThat(body.at("/failed/0/error").textValue()).isEqualTo("HTTP 500");
        assertThat(body.at("/failed/1/worker").textValue()).isEqualTo(dead.toString());
        assertThat(body.at("/failed/1/error").textValue()).contains("refused");
        assertThat(second.count(path)).isEqualTo(1);
    }

    @Test
    void flushCache_allFailed_is502() {
        fleet.pending(Fleet.deadUrl(), null);

        ControlResponse response = admin.call("POST", "/flush_cache", "");

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.headers()).containsEntry("X-SMG-Error-Code", "upstream_connect_error");
        assertThat(AdminFixture.json(response).at("/error/code").textValue()).isEqualTo("upstream_connect_error");
        assertThat(AdminFixture.json(response).at("/failed").size()).isEqualTo(1);
    }

    @Test
    void flushCache_noWorkers_is200() {
        assertThat(admin.call("POST", "/flush_cache", "").status()).isEqualTo(200);
    }

    @Test
    void abortRequest_body_goesOnVerbatim() {
        StubEngine engine = fleet.engine().on("/abort_request", 200, "");
        fleet.ready(engine, "sglang", "m");

        admin.call("POST", "/abort_request", "{ \"rid\" : \"r1\", \"x\":1.0 }");
        admin.call("POST", "/abort_request", "");

        assertThat(engine.seen())
                .extracting(StubEngine.Seen::body)
                .containsExactly("{ \"rid\" : \"r1\", \"x\":1.0 }", "{}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{", "nope"})
    void abortRequest_noObject_is400(String body) {
        GatewayException error =
                catchThrowableOfType(GatewayException.class, () -> admin.call("POST", "/abort_request", body));

        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_JSON);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/get_loads", "/v1/loads"})
    void loads_knownAndUnknown_areToldApart(String path) {
        fleet.ready(
                fleet.engine().on("/get_load", 200, "[{\"num_reqs\":3,\"num_waiting_reqs\":1,\"num_tokens\":70}]"),
                "sglang",
                "m");
        fleet.ready(fleet.engine(), "unknown", "m");
        fleet.pending(Fleet.deadUrl(), null);

        JsonNode body = admin.getJson(path);

        assertThat(body.at("/workers/0/load").intValue()).isEqualTo(70);
        assertThat(body.at("/workers/0/source").textValue()).isEqualTo("get_load");
        assertThat(body.at("/workers/0/details/running_requests").intValue()).isEqualTo(2);
        assertThat(body.at("/workers/0/details/kv_usage").isNull()).isTrue();
        assertThat(body.at("/workers/1/load").intValue()).isEqualTo(-1);
        assertThat(body.at("/workers/1/error").textValue()).isNotEmpty();
        assertThat(body.get("total_workers").intValue()).isEqualTo(3);
        assertThat(body.get("successful").intValue()).isEqualTo(1);
        assertThat(body.get("failed").intValue()).isEqualTo(1);
    }

    @Test
    void engineMetrics_twoWorkersOneDead_areMerged() {
        String metrics = "# HELP g Things.\n# TYPE g gauge\ng{x=\"y\"} 1\n";
        StubEngine first = fleet.engine().on("/metrics", 200, metrics);
        StubEngine second = fleet.engine().on("/metrics", 200, metrics);
        StubEngine gone = fleet.engine();
        fleet.ready(first, "vllm", "m");
        fleet.ready(second, "vllm", "m");
        fleet.ready(gone, "vllm", "m");
        gone.close();

        ControlResponse response = admin.get("/engine_metrics");

        assertThat(response.contentType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        assertThat(AdminFixture.text(response))
                .isEqualTo("# HELP g Things.\n# TYPE g gauge\ng{worker_addr=\"" + first.url() + "\",x=\"y\"} 1\n"
                        + "g{worker_addr=\"" + second.url() + "\",x=\"y\"} 1\n");
    }

    @Test
    void engineMetrics_nobodyAnswers_isError() {
        assertThat(code()).isEqualTo(ErrorCode.NO_WORKERS);

        fleet.pending(Fleet.deadUrl(), null);
        assertThat(code()).isEqualTo(ErrorCode.NO_AVAILABLE_WORKERS);

        fleet.ready(fleet.engine(), "vllm", "m");
        assertThat(code()).isEqualTo(ErrorCode.UPSTREAM_PROTOCOL_ERROR);
    }

    private ErrorCode code() {
        return catchThrowableOfType(GatewayException.class, () -> admin.get("/engine_metrics"))
                .code();
    }
}
