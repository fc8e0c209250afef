package io.kvgate.server.e2e.clientcompat;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which models there are, and where a request for one goes. */
@Timeout(30)
final class ModelsTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void report112_models_areThoseOfTheLiving() throws Exception {
        ScriptedWorker dying = fleet.worker(Scripts.completion());
        fleet.worker(Scripts.completion())
                .servesModels("tiny-1", "tiny-2")
                .on("GET /metrics", exchange -> exchange.answer(200, "text/plain", "up_gauge 1\n"));
        GatewayFixture gateway =
                fleet.gateway(config -> config.probes(Duration.ofMillis(100), Duration.ofSeconds(1), 1, 1));
        dying.crash();
        gateway.awaitReadyWorkers(1);
        ClientResponse response = gateway.get("/v1/models");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("content-type")).startsWith("application/json");
        JsonNode list = GatewayErrors.json(response.text());
        assertThat(list.path("object").asText()).isEqualTo("list");
        assertThat(list.path("data").findValuesAsText("id")).containsExactlyInAnyOrder("tiny-1", "tiny-2");
        assertThat(response.text()).doesNotContain(String.valueOf(dying.port()), "127.0.0.1");
        ClientResponse metrics = gateway.get("/engine_metrics");
        assertThat(metrics.status()).as("%s", metrics).isEqualTo(200);
        assertThat(metrics.text()).contains("up_gauge{").contains("worker_addr=");
    }

    @Test
    void report112_serverInfo_comesFromOneThatLives() throws Exception {
        ScriptedWorker dying = fleet.worker(Scripts.completion());
        fleet.worker(Scripts.completion())
                .on("GET /get_server_info", exchange -> exchange.json(200, "{\"version\":\"9\"}"));
        GatewayFixture gateway =
                fleet.gateway(config -> config.probes(Duration.ofMillis(100), Duration.ofSeconds(1), 1, 1));
        dying.crash();
        gateway.awaitReadyWorkers(1);
        for (int i = 0; i < 4; i++) {
            ClientResponse response = gateway.get("/get_server_info");
            assertThat(response.status()).isEqualTo(200);
            assertThat(GatewayErrors.json(response.text()).path("version").asText())
                    .isEqualTo("9");
        }
    }

    private static final String NO_MODEL = "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";

    @ParameterizedTest
    @ValueSource(strings = {"", "\"model\":\"\",", "\"model\":null,"})
    void report116_noModelOfSeveral_is400NamingThem(String member) throws Exception {
        fleet.worker(Scripts.completion()).servesModels("tiny-1");
        fleet.worker(Scripts.completion()).servesModels("tiny-2");
        GatewayFixture gateway = fleet.gateway();
        JsonNode error = assertError(gateway.chat("{" + member + NO_MODEL.substring(1)), 400, "model_required");
        assertThat(error.path("message").asText()).contains("tiny-1", "tiny-2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"model\":\"\",", "\"model\":null,"})
    void report116_noModelOfOne_isThatOne(String member) throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        assertThat(gateway.chat("{" + member + NO_MODEL.substring(1)).status()).isEqualTo(200);
    }

    @Test
    void report116_unknownModel_is404NamingTheServed() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        JsonNode error = assertError(gateway.chat(REQ_N.replace("tiny-1", "nope")), 404, "model_not_found");
        assertThat(error.path("message").asText()).contains("tiny-1");
    }

    @Test
    void report087_roundRobin_turnsPerModel() throws Exception {
        List<ScriptedWorker> of1 = fleet.workers(2, Scripts.completion());
        List<ScriptedWorker> of2 = fleet.workers(2, Scripts.completion());
        of2.forEach(worker -> worker.servesModels("tiny-2"));
        GatewayFixture gateway = fleet.gateway();
        for (int i = 0; i < 40; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
            assertThat(gateway.chat(REQ_N.replace("tiny-1", "tiny-2")).status()).isEqualTo(200);
        }
        assertThat(of1).allMatch(worker -> worker.requestCount() == 20);
        assertThat(of2).allMatch(worker -> worker.requestCount() == 20);
    }

    @Test
    void report119_flushAndAbort_reachAllWorkersThatLive() throws Exception {
        List<ScriptedWorker> living = fleet.workers(2, Scripts.completion());
        ScriptedWorker dead = fleet.worker(Scripts.completion());
        for (ScriptedWorker worker : living) {
            worker.on("POST /flush_cache", exchange -> exchange.answer(200, "text/plain", "Cache flushed."));
            worker.on("POST /abort_request", exchange -> exchange.json(200, "{}"));
        }
        GatewayFixture gateway = fleet.gateway(config -> config.noProbes());
        dead.crash();
        for (String path : List.of("/flush_cache", "/abort_request")) {
            ClientResponse response = gateway.post(path, "{\"abort_all\":true}");
            assertThat(response.status()).as("%s %s", path, response).isIn(200, 206, 207);
            assertThat(response.header("content-type")).startsWith("application/json");
            for (ScriptedWorker worker : living) {
                await().atMost(Duration.ofSeconds(2))
                        .untilAsserted(() -> assertThat(worker.probes())
                                .filteredOn(probe -> probe.path().equals(path))
                                .hasSize(1));
            }
        }
        assertThat(living.get(0).probes())
                .filteredOn(probe -> probe.path().equals("/abort_request"))
                .allMatch(probe -> probe.bodyText().equals("{\"abort_all\":true}"));
    }
}
