package io.kvgate.server.e2e.limits;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static io.kvgate.server.e2e.kit.Vocabulary.CHAT;
import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.server.config.ListenConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.ConfigChange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.RecordedRequest;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import io.kvgate.server.e2e.kit.Vocabulary;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes of requests: large ones pass by default, limits are exact and tell their flag. */
@Timeout(60)
final class PayloadLimitTest {
    private static final int LIMIT = 1 << 20;

    @RegisterExtension
    final Fleet fleet = new Fleet();

    /** A request body of exactly this many bytes. */
    private static String exactly(int bytes) {
        int frame = Vocabulary.requestOfBytes(0).length();
        return Vocabulary.requestOfBytes(bytes - frame);
    }

    @Test
    void report069_twentyMegabytes_passByDefault() throws Exception {
        assertThat(ListenConfig.DEFAULT.maxPayloadBytes()).isGreaterThanOrEqualTo(256 << 20);
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        String body = exactly(20 << 20);
        assertThat(gateway.chat(body).text()).isEqualTo(COMPLETION);
        RecordedRequest request = worker.requests().get(0);
        assertThat(request.bodyBytes()).isEqualTo(20 << 20);
        assertThat(request.bodyDigest())
                .isEqualTo(MessageDigest.getInstance("SHA-256").digest(Scripts.utf8(body)));
    }

    @Test
    void report069_limitByLength_isExact() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.maxPayload(LIMIT));
        assertThat(gateway.chat(exactly(LIMIT)).status()).isEqualTo(200);

        // Announced only: the answer must not wait for the body.
        RawClient client = gateway.client();
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nContent-Length: " + (LIMIT + 1) + "\r\n\r\n");
        ClientResponse response = client.readResponse();
        assertThat(assertError(response, 413, "payload_too_large")
                        .path("message")
                        .asText())
                .contains("--max-payload-size", String.valueOf(LIMIT));
        assertThat(response.header("connection")).isEqualTo("close");
        assertThat(client.isClosedWithin(Duration.ofSeconds(2))).isTrue();
        assertThat(worker.requestCount()).isEqualTo(1);
    }

    @Test
    void report069_limitByChunks_isExactAndStopsAtOnce() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.maxPayload(LIMIT));
        RawClient good = gateway.client();
        sendChunked(good, exactly(LIMIT));
        good.send("0\r\n\r\n");
        assertThat(good.readResponse().status()).isEqualTo(200);

        RawClient bad = gateway.client();
        sendChunked(bad, exactly(LIMIT + 1));
        assertError(bad.readResponse(), 413, "payload_too_large");
        assertThat(bad.isClosedWithin(Duration.ofSeconds(2))).isTrue();
        assertThat(worker.requestCount()).isEqualTo(1);
    }

    private static void sendChunked(RawClient client, String body) throws IOException {
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int at = 0; at < body.length(); at += 65_536) {
            String piece = body.substring(at, Math.min(at + 65_536, body.length()));
            client.send(Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "random",
                "round_robin",
                "power_of_two",
                "least_load",
                "cache_aware",
                "bucket",
                "manual",
                "consistent_hashing",
                "prefix_hash"
            })
    void report070_longPrompts_passWithEveryPolicy(String policy) throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.policy(policy));
        RawClient client = gateway.client();
        for (int size : new int[] {130_000, 260_000, 1_100_000, 17_000_000}) {
            ClientResponse response = client.chat(exactly(size)).readResponse();
            assertThat(response.status()).as("%d bytes: %s", size, response).isEqualTo(200);
        }
        assertThat(worker.truncatedRequests()).isEmpty();
    }

    @Test
    void report071_sixteenKilobytesOfHeaders_pass() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        String token = "Bearer " + "t".repeat(12_000);
        ClientResponse response = gateway.chat(REQ_N, "Authorization: " + token, "X-Filler: " + "f".repeat(8_000));
        assertThat(response.status()).isEqualTo(200);
        assertThat(worker.requests().get(0).header("authorization")).isEqualTo(token);
    }

    @Test
    void report071_tooManyHeaderBytes_are431() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_N, "X-Filler: " + "f".repeat(200_000));
        assertError(client.readResponse(), 431, "headers_too_large");
        assertThat(client.isClosedWithin(Duration.ofSeconds(2))).isTrue();
    }

    @Test
    void report071_tooLongRequestLine_is414() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.get("/v1/models?x=" + "q".repeat(10_000));
        assertError(client.readResponse(), 414, "uri_too_long");
        assertThat(client.isClosedWithin(Duration.ofSeconds(2))).isTrue();
    }

    @Test
    void report071_tooManyWorkerHeaderBytes_are502() throws Exception {
        fleet.worker(Scripts.json(200, COMPLETION, "X-Long: " + "h".repeat(200_000)));
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        assertError(gateway.chat(REQ_N), 502, "upstream_protocol_error");
    }

    @Test
    void report077_longRequestIds_areBounded() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        String printable = "r".repeat(200);
        assertThat(client.chat(REQ_N, "X-Request-Id: " + printable)
                        .readResponse()
                        .header("x-request-id"))
                .isEqualTo(printable);
        String replaced = client.chat(REQ_N, "X-Request-Id: " + "s".repeat(30_000))
                .readResponse()
                .header("x-request-id");
        assertThat(replaced).isNotBlank().hasSizeLessThanOrEqualTo(256);
        assertThat(client.chat(REQ_N, "X-Request-Id:").readResponse().header("x-request-id"))
                .isNotBlank();
        ClientResponse twice =
                client.chat(REQ_N, "X-Request-Id: one", "X-Request-Id: two").readResponse();
        assertThat(twice.headers().all("x-request-id")).hasSize(1);
        for (RecordedRequest request : worker.requests()) {
            assertThat(request.headers().all("x-request-id")).hasSizeLessThanOrEqualTo(1);
        }
        assertThat(worker.requests().get(1).headers().all("x-request-id")).allMatch(id -> id.equals(replaced));
    }
}
