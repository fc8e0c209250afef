package io.kvgate.server.e2e.clientcompat;

import static io.kvgate.server.e2e.kit.Vocabulary.CHAT;
import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.ConfigChange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.RecordedRequest;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import io.kvgate.server.e2e.kit.Vocabulary;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests reach the worker as the client wrote them. */
@Timeout(30)
final class RequestBytesTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"tiny-1\" ,\"messages\" : [ ],\"chat_template_kwargs\":{\"enable_thinking\":false},"
                        + "\"return_token_ids\":true,\"rid\":\"r-1\",\"seed\":9007199254740993,\"temperature\":1.0,"
                        + "\t\"x_new\":{\"b\":[null,1e-9]}}\r\n",
                "{\"messages\":[{\"role\":\"user\",\"content\":\"\\u0041 na\u00efve \u65e5\u672c \ud83d\ude42\"}],"
                        + "\"model\":\"tiny-1\",\"big\":123456789012345678901234567890,\"e\":1E400,\"neg\":-0.0}"
            })
    void report021_unknownFieldsAndOddSpelling_reachTheWorkerAsTheyAre(String body) throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        assertThat(gateway.chat(body).status()).isEqualTo(200);
        assertThat(worker.requests().get(0).bodyText()).isEqualTo(body);
    }

    @Test
    void report021_chunkedBody_reachesTheWorkerWhole() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int i = 0; i < REQ_N.length(); i += 7) {
            String piece = REQ_N.substring(i, Math.min(i + 7, REQ_N.length()));
            client.send(Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n");
        }
        client.send("0\r\n\r\n");
        assertThat(client.readResponse().status()).isEqualTo(200);
        RecordedRequest request = worker.requests().get(0);
        assertThat(request.bodyText()).isEqualTo(REQ_N);
        assertThat(request.bodyEnd()).isEqualTo(BodyEnd.COMPLETE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"logprobs\":null,\"stream\":null",
                "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"now\"}}]",
                "\"min_tokens\":0"
            })
    void report022_whatStrictSchemasRefuse_isLeftToTheWorker(String member) throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        String body = "{\"model\":\"tiny-1\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]," + member + "}";
        ClientResponse response = gateway.chat(body);
        assertThat(response.text()).isEqualTo(COMPLETION);
        assertThat(response.header("content-type")).isEqualTo("application/json");
        assertThat(worker.requests().get(0).bodyText()).isEqualTo(body);
    }

    @Test
    void report053_manyRequestsOnOneConnection_answersMatch() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> {
            GatewayErrors.json(exchange.request().bodyText());
            exchange.json(200, "{\"echo\":\"" + exchange.request().header("x-request-id") + "\"}");
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        for (int i = 0; i < 200; i++) {
            String body = i % 2 == 0 ? REQ_N : Vocabulary.requestOfBytes(90_000);
            ClientResponse response = client.chat(body, "X-Request-Id: r-" + i).readResponse();
            assertThat(response.text()).isEqualTo("{\"echo\":\"r-" + i + "\"}");
            assertThat(response.header("x-request-id")).isEqualTo("r-" + i);
            assertThat(worker.requests().get(i).bodyText()).isEqualTo(body);
        }
    }

    /** The worker answers before it has read the body; what is left of it must not become the next request. */
    @Test
    void report053_workerAnswersBeforeTheBody_nextRequestsAreClean() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.early(exchange -> exchange.json(200, COMPLETION)));
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        RawClient client = gateway.client();
        for (int i = 0; i < 30; i++) {
            ClientResponse response =
                    client.chat(Vocabulary.requestOfBytes(90_000)).readResponse();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.text()).isEqualTo(COMPLETION);
            if ("close".equals(response.header("connection"))) {
                client = gateway.client();
            }
        }
        assertThat(worker.requestCount()).isEqualTo(30);
        assertThat(worker.truncatedRequests()).isEmpty();
    }

    /** The same with a worker that refuses early and closes, with much of the body unsent. */
    @Test
    void report053_workerRefusesEarlyAndCloses_itsAnswerIsPassedOn() throws Exception {
        fleet.worker(Scripts.early(exchange -> {
            exchange.json(400, "{\"detail\":\"too long\"}", "Connection: close");
            int left = 64;
            while (left > 0 && exchange.readBody() != null) {
                left--;
            }
            exchange.closeFin();
        }));
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        ClientResponse response = gateway.chat(Vocabulary.requestOfBytes(200_000));
        assertThat(response.status()).isEqualTo(400);
        assertThat(response.text()).isEqualTo("{\"detail\":\"too long\"}");
    }

    @Test
    void report053_pipelinedRequests_areAnsweredInOrder() throws Exception {
        fleet.worker(exchange -> {
            boolean first = exchange.request().header("x-request-id").equals("p-1");
            exchange.pause(java.time.Duration.ofMillis(first ? 300 : 0));
            exchange.json(200, "{\"n\":\"" + exchange.request().header("x-request-id") + "\"}");
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        byte[] one = RawClient.request("POST", CHAT, REQ_N, "X-Request-Id: p-1");
        byte[] two = RawClient.request("POST", CHAT, REQ_N, "X-Request-Id: p-2");
        client.send(new String(one, StandardCharsets.UTF_8) + new String(two, StandardCharsets.UTF_8));
        assertThat(client.readResponse().text()).isEqualTo("{\"n\":\"p-1\"}");
        assertThat(client.readResponse().text()).isEqualTo("{\"n\":\"p-2\"}");
    }

    @Test
    void report047_host_isTheWorkersAndTheOldOneIsTold() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        worker.script(exchange -> {
            boolean mine = worker.authority().equals(exchange.request().header("host"));
            exchange.json(mine ? 200 : 503, COMPLETION);
        });
        GatewayFixture gateway = fleet.gateway();
        ClientResponse response = gateway.chat(
                REQ_N, "Host: llm.example.test", "X-Forwarded-For: 203.0.113.7", "X-Forwarded-Proto: https");
        assertThat(response.status()).isEqualTo(200);
        RecordedRequest request = worker.requests().get(0);
        assertThat(request.headers().all("host")).containsExactly(worker.authority());
        assertThat(request.header("x-forwarded-host")).isEqualTo("llm.example.test");
        assertThat(String.join(", ", request.headers().all("x-forwarded-for"))).isEqualTo("203.0.113.7, 127.0.0.1");
        assertThat(String.join(", ", request.headers().all("x-forwarded-proto")))
                .startsWith("https");
    }

    @Test
    void report055_workersAreSpokenToInPlainHttp11() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> {
            boolean strict = exchange.request().headers().contains("upgrade")
                    || exchange.request().headers().contains("http2-settings")
                    || !exchange.request().head().contains(" HTTP/1.1\r\n");
            exchange.json(strict ? 400 : 200, COMPLETION);
        });
        GatewayFixture gateway = fleet.gateway();
        assertThat(gateway.chat(
                                REQ_N,
                                "Connection: Upgrade, HTTP2-Settings",
                                "Upgrade: h2c",
                                "HTTP2-Settings: AAMAAABk")
                        .status())
                .isEqualTo(200);
        assertThat(worker.probes())
                .isNotEmpty()
                .noneMatch(probe -> probe.headers().contains("upgrade"))
                .allMatch(probe -> probe.head().contains(" HTTP/1.1\r\n"))
                .allMatch(probe -> worker.authority().equals(probe.header("host")));
    }

    @Test
    void report043_bodylessRequestsToWorkers_haveNoFraming() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        worker.on("GET /get_server_info", exchange -> exchange.json(200, "{\"version\":\"1\"}"));
        GatewayFixture gateway = fleet.gateway();
        assertThat(gateway.get("/v1/models").status()).isEqualTo(200);
        assertThat(gateway.get("/get_server_info").status()).isEqualTo(200);
        assertThat(worker.probes())
                .filteredOn(probe -> probe.method().equals("GET"))
                .isNotEmpty()
                .noneMatch(probe -> probe.headers().contains("transfer-encoding"))
                .noneMatch(probe -> probe.headers().contains("content-length"));
    }

    @Test
    void report181_unknownHeaders_reachTheWorker() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        String[] lines = new String[43];
        lines[0] = "X-Tenant: t9";
        lines[1] = "X-Data-Parallel-Rank: 2";
        lines[2] = "baggage: a=1";
        for (int i = 3; i < lines.length; i++) {
            lines[i] = "X-Own-" + i + ": v" + i;
        }
        gateway.chat(REQ_N, lines);
        for (String line : lines) {
            int colon = line.indexOf(':');
            assertThat(worker.requests().get(0).headers().all(line.substring(0, colon)))
                    .containsExactly(line.substring(colon + 2));
        }
    }
}
