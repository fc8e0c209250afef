package io.kvgate.server.e2e.clientcompat;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static io.kvgate.server.e2e.kit.Vocabulary.CHAT;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.requestOfBytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.server.config.AdmissionConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each error that the gateway makes has the OpenAI shape, also where a stream was asked for. */
@Timeout(30)
final class ErrorShapeTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static byte[] chat(String body, boolean stream) {
        return RawClient.request(
                "POST", CHAT, stream ? body.replace("\"messages\"", "\"stream\":true,\"messages\"") : body);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report023_refusedRequests_haveOneShape(boolean stream) throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.maxPayload(10_000));
        assertError(gateway.post(CHAT, stream ? "{\"stream\":true," : "{"), 400, "invalid_json");
        JsonNode unknown =
                assertError(gateway.call(chat(REQ_N.replace("tiny-1", "huge-9"), stream)), 404, "model_not_found");
        assertThat(unknown.path("message").asText()).contains("huge-9");
        assertError(gateway.post("/v1/nothing", stream ? REQ_S : REQ_N), 404, "not_found");
        ClientResponse wrongMethod = gateway.get(CHAT);
        assertError(wrongMethod, 405, "method_not_allowed");
        assertThat(wrongMethod.header("allow")).contains("POST");
        ClientResponse large = gateway.call(chat(requestOfBytes(10_001), stream));
        JsonNode tooLarge = assertError(large, 413, "payload_too_large");
        assertThat(tooLarge.path("message").asText()).contains("--max-payload-size");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report023_missingKey_is401(boolean stream) throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.apiKey("user-1"));
        ClientResponse none = gateway.call(chat(REQ_N, stream));
        assertError(none, 401, "unauthorized");
        assertThat(none.header("www-authenticate")).startsWith("Bearer");
        assertError(gateway.chat(stream ? REQ_S : REQ_N, "Authorization: Bearer user-2"), 401, "unauthorized");
        assertThat(gateway.chat(REQ_N, "Authorization: Bearer user-1").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report023_overTheRate_is429(boolean stream) throws Exception {
        fleet.worker(Scripts.chat());
        GatewayFixture gateway =
                fleet.gateway(config -> config.admission = new AdmissionConfig(0, 0, Duration.ofSeconds(1), 1, 0));
        ClientResponse response = gateway.call(chat(REQ_N, stream));
        for (int i = 0; i < 5 && response.status() == 200; i++) {
            response = gateway.call(chat(REQ_N, stream));
        }
        JsonNode error = assertError(response, 429, "rate_limited");
        assertThat(error.path("message").asText()).contains("--rate-limit-tokens-per-second");
        assertThat(Integer.parseInt(response.header("retry-after"))).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report023_noWorkers_is503(boolean stream) throws Exception {
        GatewayFixture gateway = fleet.gatewayNotReady(config -> {});
        assertError(gateway.call(chat(REQ_N, stream)), 503, "no_workers");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report023_workerDown_is502NamingItsIdOnly(boolean stream) throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.noProbes().noRetries());
        worker.crash();
        JsonNode error = assertError(gateway.call(chat(REQ_N, stream)), 502, "upstream_connect_error");
        assertThat(error.path("message").asText()).doesNotContain(String.valueOf(worker.port()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report023_workerSilent_is504(boolean stream) throws Exception {
        fleet.worker(Scripts.silent());
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries()
                .timeouts(Duration.ofSeconds(1), Duration.ofMillis(300), Duration.ZERO, Duration.ZERO));
        JsonNode error = assertError(gateway.call(chat(REQ_N, stream)), 504, "upstream_timeout");
        assertThat(error.path("message").asText()).contains("--response-head-timeout-secs");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{", "[]", "\"x\"", "{\"model\":\"tiny-1\"}}", "{\"model\":\"tiny-1\",}", "nul", "{\"a\":01}"
            })
    void report076_notAJsonObject_is400(String body) throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        RawClient client = gateway.client();
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nContent-Type: application/json\r\nContent-Length: "
                        + bytes.length + "\r\n\r\n")
                .send(bytes);
        assertError(client.readResponse(), 400, "invalid_json");
        assertThat(worker.requestCount()).isZero();
    }

    @Test
    void report076_modelThatIsNoText_is400() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        ClientResponse response = gateway.chat("{\"model\":5}");
        assertThat(response.status()).as("%s", response).isEqualTo(400);
        assertError(response, 400, response.header("x-smg-error-code"));
    }

    @Test
    void report076_invalidUtf8_is400() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        byte[] body = "{\"model\":\"tiny-1\",\"x\":\"??\"}".getBytes(StandardCharsets.ISO_8859_1);
        body[body.length - 4] = (byte) 0xc3;
        body[body.length - 3] = (byte) 0x28;
        RawClient client = gateway.client();
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nContent-Length: " + body.length + "\r\n\r\n")
                .send(body);
        assertError(client.readResponse(), 400, "invalid_json");
    }

    @Test
    void report076_byteOrderMark_isAcceptedOrRefusedButNeverA500() throws Exception {
        fleet.worker(Scripts.completion());
        assertThat(fleet.gateway().chat("\ufeff" + REQ_N).status()).isIn(200, 400);
    }

    @Test
    void report076_repeatedModel_isAcceptedOrRefusedButNeverA500() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        assertThat(gateway.chat("{\"model\":\"tiny-1\",\"model\":\"tiny-1\"}").status())
                .isIn(200, 400);
        assertThat(gateway.chat("{\"model\":\"other\",\"model\":\"tiny-1\"}").status())
                .isIn(200, 400, 404);
    }

    @Test
    void report076_deepNesting_costsLittleAndBreaksNothing() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        String open = "{\"model\":\"tiny-1\",\"x\":" + "[".repeat(100_000);
        assertError(gateway.chat(open), 400, "invalid_json");
        ClientResponse closed = gateway.chat(open + "]".repeat(100_000) + "}");
        assertThat(closed.status()).isIn(200, 400);
        assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
    }
}
