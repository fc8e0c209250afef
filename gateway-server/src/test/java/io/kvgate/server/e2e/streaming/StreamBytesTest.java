package io.kvgate.server.e2e.streaming;

import static io.kvgate.server.e2e.kit.Vocabulary.DONE;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.SSE_3;
import static io.kvgate.server.e2e.kit.Vocabulary.delta;
import static io.kvgate.server.e2e.kit.Vocabulary.deltaJson;
import static io.kvgate.server.e2e.kit.Vocabulary.usageJson;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the client of a stream gets is octet for octet what the worker sent. */
@Timeout(30)
final class StreamBytesTest {
    private static final String OUTPUT_TOKENS = "smg_router_tokens_total";

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static void assertTokens(GatewayFixture gateway, int input, int output) {
        await().atMost(GatewayFixture.SETTLE).untilAsserted(() -> {
            assertThat(gateway.scrape().sum(OUTPUT_TOKENS, "token_type", "input"))
                    .isEqualTo(input);
            assertThat(gateway.scrape().sum(OUTPUT_TOKENS, "token_type", "output"))
                    .isEqualTo(output);
        });
    }

    private static ClientResponse stream(GatewayFixture gateway) throws IOException {
        ClientResponse response = gateway.chat(REQ_S);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.end()).isEqualTo(BodyEnd.COMPLETE);
        assertThat(response.header("content-type")).isEqualTo("text/event-stream");
        return response;
    }

    @Test
    void report002_doneMarkerInsideText_doesNotEndTheStream() throws Exception {
        List<String> events = new ArrayList<>(List.of(delta("say \\\"data: [DONE]\\\" now")));
        for (int i = 0; i < 5; i++) {
            events.add(delta("more " + i));
        }
        events.add("data: " + usageJson(9, 6) + "\n\n");
        events.add(DONE);
        fleet.worker(Scripts.sse(events));
        GatewayFixture gateway = fleet.gateway();

        assertThat(stream(gateway).text()).isEqualTo(String.join("", events));
        assertTokens(gateway, 9, 6);
    }

    @Test
    void report002_doneMarkerSplitOverSegments_doesNotEndTheStream() throws Exception {
        CountDownLatch firstHalfSeen = new CountDownLatch(1);
        fleet.worker(exchange -> {
            exchange.sseHead().chunk("data: {\"x\":\"data: [DO");
            exchange.await(firstHalfSeen).chunk("NE]\"}\n\n");
            exchange.chunk(delta("after")).chunk(DONE).lastChunk();
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        assertThat(new String(client.body().next(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("data: {\"x\":\"data: [DO");
        firstHalfSeen.countDown();
        assertThat(new String(client.body().rest(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("NE]\"}\n\n" + delta("after") + DONE);
        assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
    }

    @ParameterizedTest
    @CsvSource({"LF,' '", "LF,''", "CRLF,' '", "CRLF,''"})
    void report004_lineEndsAndSpaceAfterColon_areCountedAlike(String lineEnd, String space) throws Exception {
        String end = lineEnd.equals("LF") ? "\n\n" : "\r\n\r\n";
        List<String> events = List.of(
                "data:" + space + deltaJson("one") + end,
                "data:" + space + usageJson(5, 2) + end,
                "data:" + space + "[DONE]" + end);
        fleet.worker(Scripts.sse(events));
        GatewayFixture gateway = fleet.gateway();

        assertThat(stream(gateway).text()).isEqualTo(String.join("", events));
        assertTokens(gateway, 5, 2);
    }

    @Test
    void report005_mixedLineEndsSplitBetweenReads_areKeptAndCounted() throws Exception {
        String first = "data: " + deltaJson("one") + "\r\r";
        String second = "data: " + deltaJson("two") + "\n\n";
        String third = "data: " + usageJson(8, 3) + "\r";
        CountDownLatch seen = new CountDownLatch(1);
        fleet.worker(exchange -> {
            exchange.sseHead().chunk(first).chunk(second).chunk(third);
            exchange.await(seen).chunk("\n\r\n").lastChunk();
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        StringBuilder all = new StringBuilder();
        while (all.length() < (first + second + third).length()) {
            all.append(new String(client.body().next(), java.nio.charset.StandardCharsets.UTF_8));
        }
        seen.countDown();
        all.append(new String(client.body().rest(), java.nio.charset.StandardCharsets.UTF_8));
        assertThat(all.toString()).isEqualTo(first + second + third + "\n\r\n");
        assertTokens(gateway, 8, 3);
    }

    @Test
    void report006_lastEventWithoutNewline_isKeptAndCounted() throws Exception {
        String last =
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,\"total_tokens\":7}}";
        fleet.worker(Scripts.sse(List.of(delta("one"), last)));
        GatewayFixture gateway = fleet.gateway();

        assertThat(stream(gateway).text()).isEqualTo(delta("one") + last);
        assertTokens(gateway, 5, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u2028", "\u2029", "\u0085", "\f", "\u000b"})
    void report008_unicodeLineBreaksInText_staySingleEvent(String breaker) throws Exception {
        List<String> events = List.of(delta("a" + breaker + "b"), "data: " + usageJson(4, 1) + "\n\n", DONE);
        fleet.worker(Scripts.sse(events));
        GatewayFixture gateway = fleet.gateway();

        assertThat(stream(gateway).text()).isEqualTo(String.join("", events));
        assertTokens(gateway, 4, 1);
    }

    @Test
    void report009_lineOfThreeMebibytes_passesWhole() throws Exception {
        String big = "data: {\"logprobs\":\"" + "y".repeat(3 << 20) + "\"}\n\n";
        CountDownLatch smallSeen = new CountDownLatch(1);
        fleet.worker(exchange -> {
            exchange.sseHead().chunk(delta("small"));
            exchange.chunk(big.substring(0, 8192)).await(smallSeen);
            for (int at = 8192; at < big.length(); at += 8192) {
                exchange.chunk(big.substring(at, Math.min(at + 8192, big.length())));
            }
            exchange.chunk("data: " + usageJson(7, 2) + "\n\n").chunk(DONE).lastChunk();
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        assertThat(client.readEvent()).isEqualTo(delta("small"));
        smallSeen.countDown();
        StringBuilder rest = new StringBuilder();
        for (byte[] piece = client.body().next();
                piece != null;
                piece = client.body().next()) {
            rest.append(new String(piece, java.nio.charset.StandardCharsets.ISO_8859_1));
        }
        // The first pieces of the big event may have come with the small one.
        assertThat(rest.toString()).endsWith("y\"}\n\ndata: " + usageJson(7, 2) + "\n\n" + DONE);
        assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
        assertTokens(gateway, 7, 2);
    }

    @Test
    void report013_acceptEncoding_isPassedOnAndNothingIsCompressedHere() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.sse3());
        GatewayFixture gateway = fleet.gateway();

        ClientResponse response = gateway.chat(REQ_S, "Accept-Encoding: gzip, br");
        assertThat(response.header("content-encoding")).isNull();
        assertThat(response.text()).isEqualTo(String.join("", SSE_3));
        assertThat(worker.requests().get(0).header("accept-encoding")).isEqualTo("gzip, br");
    }

    @Test
    void report013_encodedByWorker_passesUntouchedAndInTime() throws Exception {
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        List<byte[]> pieces = new ArrayList<>();
        try (GZIPOutputStream gzip = new GZIPOutputStream(encoded, true)) {
            for (String event : SSE_3) {
                gzip.write(Scripts.utf8(event));
                gzip.flush();
                pieces.add(encoded.toByteArray());
                encoded.reset();
            }
        }
        pieces.add(encoded.toByteArray());
        List<CountDownLatch> seen = new ArrayList<>();
        pieces.forEach(piece -> seen.add(new CountDownLatch(1)));
        fleet.worker(exchange -> {
            exchange.head(
                    200, "Content-Type: text/event-stream", "Content-Encoding: gzip", "Transfer-Encoding: chunked");
            for (int i = 0; i < pieces.size(); i++) {
                exchange.chunk(pieces.get(i)).await(seen.get(i));
            }
            exchange.lastChunk();
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        assertThat(client.chat(REQ_S, "Accept-Encoding: gzip, br").readHead().header("content-encoding"))
                .isEqualTo("gzip");
        for (int i = 0; i < pieces.size(); i++) {
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            while (got.size() < pieces.get(i).length) {
                got.writeBytes(client.body().next());
            }
            assertThat(got.toByteArray()).isEqualTo(pieces.get(i));
            seen.get(i).countDown();
        }
        assertThat(client.body().next()).isNull();
        assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
    }

    @Test
    void report014_streams_tellProxiesNotToBuffer() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.chat());
        GatewayFixture gateway = fleet.gateway();

        ClientResponse stream = gateway.chat(REQ_S);
        assertThat(stream.header("x-accel-buffering")).isEqualTo("no");
        assertThat(stream.header("cache-control")).contains("no-cache");
        ClientResponse json = gateway.chat(REQ_N);
        assertThat(json.header("x-accel-buffering")).isNull();
        assertThat(json.header("cache-control")).isNull();

        worker.script(exchange -> exchange.head(
                        200,
                        "Content-Type: text/event-stream",
                        "Cache-Control: no-store",
                        "X-Accel-Buffering: yes",
                        "Transfer-Encoding: chunked")
                .chunk(DONE)
                .lastChunk());
        ClientResponse own = gateway.chat(REQ_S);
        assertThat(own.headers().all("cache-control")).containsExactly("no-store");
        assertThat(own.headers().all("x-accel-buffering")).containsExactly("yes");
    }

    @Test
    void report024_messagesWithQuery_passWithNamedEvents() throws Exception {
        List<String> events = List.of(
                "event: message_start\ndata: {\"type\":\"message_start\"}\n\n",
                "event: content_block_delta\ndata: {\"type\":\"content_block_delta\"}\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
        ScriptedWorker worker = fleet.worker(Scripts.sse(events));
        GatewayFixture gateway = fleet.gateway();

        ClientResponse response = gateway.post("/v1/messages?beta=true", REQ_S, "anthropic-version: 2023-06-01");
        assertThat(response.text()).isEqualTo(String.join("", events));
        assertThat(response.end()).isEqualTo(BodyEnd.COMPLETE);
        assertThat(worker.requests().get(0).target()).isEqualTo("/v1/messages?beta=true");
        assertThat(worker.requests().get(0).header("anthropic-version")).isEqualTo("2023-06-01");
        await().atMost(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(gateway.scrape().sum("smg_http_requests_total", "path", "/v1/messages"))
                        .isEqualTo(1));
    }
}
