package io.kvgate.server.e2e.clientcompat;

import static io.kvgate.server.e2e.kit.Vocabulary.CHAT;
import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.ConfigChange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.io.ByteArrayOutputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Heads, lengths and empty bodies on the way back. */
@Timeout(30)
final class ResponseHeadTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void report041_head_hasNoBodyAndLeavesTheConnectionUsable() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        for (String path : new String[] {"/health", "/v1/models", "/readiness"}) {
            ClientResponse get = client.get(path).readResponse();
            ClientResponse head =
                    client.send(RawClient.request("HEAD", path, "")).readResponseOfHead();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("content-length")).isEqualTo(get.header("content-length"));
            assertThat(head.body()).isEmpty();
        }
        assertThat(client.chat(REQ_N).readResponse().text()).isEqualTo(COMPLETION);
    }

    @Test
    void report042_framing_isToldOnce() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.sse3());
        GatewayFixture gateway = fleet.gateway();
        ClientResponse chunked = gateway.chat(REQ_S);
        assertThat(chunked.headers().all("transfer-encoding")).containsExactly("chunked");
        assertThat(chunked.header("content-length")).isNull();
        worker.script(Scripts.completion());
        ClientResponse sized = gateway.chat(REQ_N);
        assertThat(sized.headers().all("content-length")).containsExactly(String.valueOf(COMPLETION.length()));
        assertThat(sized.header("transfer-encoding")).isNull();
        worker.script(Scripts.sseUntilClose(io.kvgate.server.e2e.kit.Vocabulary.SSE_3));
        ClientResponse closeDelimited = gateway.chat(REQ_S);
        assertThat(closeDelimited.headers().all("transfer-encoding")).containsExactly("chunked");
        assertThat(closeDelimited.text()).isEqualTo(chunked.text());
        assertThat(closeDelimited.end()).isEqualTo(BodyEnd.COMPLETE);
    }

    @Test
    void report046_repeatedHeaders_areKeptInOrderAndServerIsToldOnce() throws Exception {
        fleet.worker(Scripts.json(
                200,
                COMPLETION,
                "Server: eng/1",
                "Date: Thu, 01 Jan 2026 00:00:00 GMT",
                "Set-Cookie: a=1; Path=/",
                "Set-Cookie: b=2",
                "Vary: Origin",
                "Vary: Accept"));
        ClientResponse response = fleet.gateway().chat(REQ_N);
        assertThat(response.headers().all("server")).hasSize(1);
        assertThat(response.headers().all("date")).hasSize(1);
        assertThat(response.headers().all("set-cookie")).containsExactly("a=1; Path=/", "b=2");
        assertThat(response.headers().all("vary")).contains("Origin", "Accept");
    }

    @Test
    void report048_binaryStream_keepsItsTypeAndOctets() throws Exception {
        byte[] audio = new byte[100_000];
        new Random(48).nextBytes(audio);
        fleet.worker(exchange -> {
            exchange.head(
                    200,
                    "Content-Type: audio/mpeg",
                    "Content-Disposition: attachment; filename=\"a.mp3\"",
                    "Transfer-Encoding: chunked");
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            for (int at = 0; at < audio.length; at += 10_000) {
                byte[] piece = java.util.Arrays.copyOfRange(audio, at, at + 10_000);
                sent.writeBytes(piece);
                exchange.chunk(piece);
            }
            exchange.lastChunk();
        });
        ClientResponse response = fleet.gateway().chat(REQ_S);
        assertThat(response.header("content-type")).isEqualTo("audio/mpeg");
        assertThat(response.header("content-disposition")).isEqualTo("attachment; filename=\"a.mp3\"");
        assertThat(response.body()).isEqualTo(audio);
    }

    @Test
    void report052_emptyBodies_passAndLeaveTheConnectionUsable() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> exchange.head(200, "Content-Length: 0"));
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        RawClient client = gateway.client();
        ClientResponse zero = client.chat(REQ_N).readResponse();
        assertThat(zero.status()).isEqualTo(200);
        assertThat(zero.header("content-length")).isEqualTo("0");

        worker.script(
                exchange -> exchange.head(200, "Transfer-Encoding: chunked").lastChunk());
        ClientResponse chunked = client.chat(REQ_N).readResponse();
        assertThat(chunked.status()).isEqualTo(200);
        assertThat(chunked.body()).isEmpty();
        assertThat(chunked.end()).isEqualTo(BodyEnd.COMPLETE);

        for (int status : new int[] {204, 304}) {
            worker.script(exchange -> exchange.head(status, "X-Kind: empty"));
            ClientResponse none = client.chat(REQ_N).readResponse();
            assertThat(none.status()).isEqualTo(status);
            assertThat(none.header("x-kind")).isEqualTo("empty");
            assertThat(none.header("transfer-encoding")).isNull();
        }
        worker.script(Scripts.completion());
        assertThat(client.chat(REQ_N).readResponse().text()).isEqualTo(COMPLETION);
    }

    @Test
    void report071_largeWorkerHeader_passes() throws Exception {
        fleet.worker(Scripts.json(200, COMPLETION, "X-Long: " + "h".repeat(12_000)));
        ClientResponse response = fleet.gateway().chat(REQ_N);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("x-long")).hasSize(12_000);
    }

    @Test
    void expectContinue_isAnsweredBeforeTheBody() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nExpect: 100-continue\r\nContent-Length: " + REQ_N.length()
                + "\r\n\r\n");
        assertThat(client.readAnyHead().status()).isEqualTo(100);
        assertThat(client.send(REQ_N).readResponse().status()).isEqualTo(200);
    }
}
