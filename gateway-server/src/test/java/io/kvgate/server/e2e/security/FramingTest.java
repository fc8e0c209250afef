package io.kvgate.server.e2e.security;

import static io.kvgate.server.e2e.kit.Vocabulary.CHAT;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.ConfigChange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages whose end can be understood in two ways are refused, in both directions. */
@Timeout(60)
final class FramingTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static final String BODY = REQ_N;

    private void assertRefused(String headers, String body) throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\n" + headers + "\r\n" + body);
        ClientResponse response = client.readResponse();
        assertThat(response.status()).as("%s", response).isEqualTo(400);
        GatewayErrors.assertError(response, 400, response.header("x-smg-error-code"));
        assertThat(client.isClosedWithin(Duration.ofSeconds(2))).isTrue();
        assertThat(worker.requestCount()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nContent-Length: 6\r\n",
                "Content-Length: 5, 6\r\n",
                "Content-Length: -1\r\n",
                "Content-Length: +5\r\n",
                "Content-Length: 99999999999999999999\r\n",
                "Content-Length: 0x5\r\n",
                "Content-Length: 5 5\r\n",
                "Content-Length:\r\n",
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: gzip\r\n",
                "Transfer-Encoding: chunked, identity\r\n",
                "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding : chunked\r\n",
                "Content-Length : 5\r\n",
                " Content-Length: 5\r\n"
            })
    void report187_ambiguousRequest_is400AndReachesNoWorker(String headers) throws Exception {
        assertRefused(headers, "0\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zz\r\n{}\r\n0\r\n\r\n",
                "-2\r\n{}\r\n0\r\n\r\n",
                "0x2\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}0\r\n\r\n",
                " 2\r\n{}\r\n0\r\n\r\n"
            })
    void report187_badChunk_is400AndReachesNoWorker(String body) throws Exception {
        assertRefused("Transfer-Encoding: chunked\r\n", body);
    }

    /** Equal lengths may be collapsed or refused. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: %1$d\r\nContent-Length: %1$d\r\n", "Content-Length: %1$d, %1$d\r\n"})
    void report187_equalLengths_areOneOrRefused(String headers) throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\n"
                + String.format(java.util.Locale.ROOT, headers, BODY.length()) + "\r\n" + BODY);
        ClientResponse response = client.readResponse();
        assertThat(response.status()).isIn(200, 400);
        if (response.status() == 200) {
            assertThat(worker.requests().get(0).headers().all("content-length"))
                    .containsExactly(String.valueOf(BODY.length()));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 2\r\nContent-Length: 3\r\n",
                "Content-Length: 2, 3\r\n",
                "Content-Length: -1\r\n",
                "Content-Length: +2\r\n",
                "Content-Length: 99999999999999999999\r\n",
                "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"
            })
    void report187_ambiguousAnswer_is502(String headers) throws Exception {
        fleet.worker(exchange -> exchange.send("HTTP/1.1 200 OK\r\n" + headers + "\r\n{}\r\n0\r\n\r\n"));
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        GatewayErrors.assertError(gateway.chat(REQ_N), 502, "upstream_protocol_error");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONSENSE\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n"})
    void answerThatIsNoHttp_is502(String answer) throws Exception {
        fleet.worker(exchange -> exchange.send(answer).halt());
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        RawClient client = gateway.client().readLimit(Duration.ofSeconds(3));
        GatewayErrors.assertError(client.chat(REQ_N).readResponse(), 502, "upstream_protocol_error");
    }

    @Test
    void interimAnswersWithoutEnd_are502() throws Exception {
        fleet.worker(exchange ->
                exchange.send("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(200)).halt());
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        GatewayErrors.assertError(gateway.chat(REQ_N), 502, "upstream_protocol_error");
    }

    @Test
    void bodyInVeryManyTinyChunks_passesWhole() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\n\r\n");
        String text = "{\"model\":\"tiny-1\",\"x\":\"" + "a".repeat(50_000) + "\"}";
        StringBuilder chunks = new StringBuilder();
        text.chars().forEach(c -> chunks.append("1\r\n").append((char) c).append("\r\n"));
        client.send(chunks.append("0\r\n\r\n").toString());
        assertThat(client.readResponse().status()).isEqualTo(200);
        assertThat(new String(worker.requests().get(0).body(), java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n",
                "GET /health HTTP/9.9\r\n\r\n",
                "GET /health HTTP/1.1\r\nBad Name: x\r\n\r\n"
            })
    void requestThatIsNoHttp_is400AndClose(String request) throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.send(request);
        assertThat(client.readResponse().status()).isIn(400, 505);
        assertThat(client.isClosedWithin(Duration.ofSeconds(2))).isTrue();
    }

    @Test
    void report182_wrongKeys_areRefusedWhateverTheirPrefix() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.apiKey("0123456789abcdef"));
        for (int i = 0; i <= 16; i++) {
            String wrong = "0123456789abcdef".substring(0, i) + "X";
            assertThat(gateway.chat(REQ_N, "Authorization: Bearer " + wrong).status())
                    .isEqualTo(401);
        }
        for (String odd : new String[] {
            "Bearer", "Bearer ", "Basic 0123456789abcdef", "0123456789abcdef", "Bearer  0123456789abcdef x"
        }) {
            assertThat(gateway.chat(REQ_N, "Authorization: " + odd).status())
                    .as(odd)
                    .isEqualTo(401);
        }
    }

    /** Hop-by-hop headers, and those that Connection names, end at the gateway. */
    @Test
    void hopByHopHeaders_endAtTheGateway() throws Exception {
        ScriptedWorker worker =
                fleet.worker(Scripts.json(200, "{}", "Connection: X-Mine", "X-Mine: 1", "Keep-Alive: timeout=5"));
        GatewayFixture gateway = fleet.gateway();
        ClientResponse response = gateway.chat(
                REQ_N,
                "Connection: X-Drop, keep-alive",
                "X-Drop: 1",
                "TE: trailers",
                "Proxy-Authorization: Basic eA==",
                "Keep-Alive: 5");
        for (String name : new String[] {"x-drop", "te", "proxy-authorization", "keep-alive"}) {
            assertThat(worker.requests().get(0).headers().contains(name))
                    .as(name)
                    .isFalse();
        }
        assertThat(response.headers().contains("x-mine")).isFalse();
        assertThat(response.headers().contains("keep-alive")).isFalse();
    }
}
