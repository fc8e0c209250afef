package io.kvgate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.monitor.Fleet;
import io.kvgate.server.monitor.StubEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InfoRoutesTest {
    private final AdminFixture admin = new AdminFixture();
    private final Fleet fleet = admin.fleet;

    @AfterEach
    void close() {
        admin.close();
    }

    private ErrorCode code(String path) {
        return catchThrowableOfType(GatewayException.class, () -> admin.get(path))
                .code();
    }

    @ParameterizedTest
    @CsvSource({
        "/server_info,/server_info",
        "/server_info,/get_server_info",
        "/get_server_info,/server_info",
        "/model_info,/get_model_info",
        "/get_model_info,/model_info",
        "/get_model_info,/get_model_info"
    })
    void get_eitherName_isAnsweredByEngine(String asked, String offered) {
        fleet.ready(fleet.engine().on(offered, 200, "{\"model_path\":\"/m\",\"tp_size\":2}"), "sglang", "m");

        assertThat(admin.getJson(asked).toString()).isEqualTo("{\"model_path\":\"/m\",\"tp_size\":2}");
    }

    /** Field report 183. */
    @Test
    void serverInfo_secrets_areRedacted() {
        StubEngine engine = fleet.engine().on("/server_info", 200, """
                        {"api_key":"k-1","admin_api_key":"k-2","ssl_keyfile":"/etc/key.pem","ssl_keyfile_password":"pw",
                         "hf_token":"hf-3","password":12345,"token":"t-4","nested":[{"jwt_secret":"s-5"}],
                         "command":"serve --api-key k-6 --port 1","config":"x(api_key='k-7', y=1)","note":"uses worker-key-8",
                         "max_total_num_tokens":100,"eos_token":"</s>","tokenizer_path":"/t","api_keys":null,"tokens":5}
                        """);
        Worker worker = fleet.pending(engine.url(), "worker-key-8");
        fleet.registry.setStatus(worker, WorkerStatus.READY, "");

        JsonNode body = admin.getJson("/server_info");

        assertThat(body.toString())
                .doesNotContain("k-1", "k-2", "key.pem", "pw", "hf-3", "12345", "t-4", "s-5", "k-6", "k-7", "key-8");
        assertThat(body.get("max_total_num_tokens").intValue()).isEqualTo(100);
        assertThat(body.get("eos_token").textValue()).isEqualTo("</s>");
        assertThat(body.get("tokenizer_path").textValue()).isEqualTo("/t");
        assertThat(body.get("tokens").intValue()).isEqualTo(5);
        assertThat(body.get("command").textValue())
                .startsWith("serve --api-key <")
                .endsWith("--port 1");
        assertThat(engine.seen().get(0).authorization()).isEqualTo("Bearer worker-key-8");
        assertThat(engine.seen().get(0).framed()).isFalse();
    }

    /** Field report 112. */
    @Test
    void serverInfo_oneWorkerDead_anotherAnswers() {
        StubEngine gone = fleet.engine();
        fleet.ready(gone, "sglang", "m");
        gone.close();
        fleet.ready(fleet.engine().on("/server_info", 200, "{\"ok\":1}"), "sglang", "m");

        assertThat(admin.getJson("/server_info").get("ok").intValue()).isEqualTo(1);
        assertThat(admin.getJson("/server_info").get("ok").intValue()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"not json", "[1]", ""})
    void serverInfo_unusableAnswer_is502(String answer) {
        fleet.ready(fleet.engine().on("/server_info", 200, answer), "sglang", "m");

        assertThat(code("/server_info")).isEqualTo(ErrorCode.UPSTREAM_PROTOCOL_ERROR);
    }

    @Test
    void serverInfo_nobodyHasIt_is404() {
        fleet.ready(fleet.engine(), "vllm", "m");

        assertThat(code("/server_info")).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void serverInfo_noneAvailable_is503() {
        assertThat(code("/server_info")).isEqualTo(ErrorCode.NO_WORKERS);

        fleet.pending(Fleet.deadUrl(), null);
        assertThat(code("/model_info")).isEqualTo(ErrorCode.NO_AVAILABLE_WORKERS);
    }
}
