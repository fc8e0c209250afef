package io.kvgate.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.fault.Fault;
import io.kvgate.bench.engine.fault.HealthFault;
import io.kvgate.bench.engine.model.ModelStats;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The knobs, and what a client sees of them on a real socket. */
final class SimulatedEngineFaultTest {
    private static final String PATH = "/v1/completions";
    private static final String STREAM = "{\"prompt\":\"a\",\"stream\":true,\"max_tokens\":8}";
    private static final String PLAIN = "{\"prompt\":\"a\",\"max_tokens\":8}";
    private static final String ENDLESS = "{\"prompt\":\"a\",\"stream\":true,\"max_tokens\":100000}";

    private final SimulatedEngine engine = SimulatedEngine.start(
            SimulatedEngineConfig.defaults().withSpeedup(50).withKeepAlive(Duration.ofMillis(200)));
    private final EngineClient client = new EngineClient(engine);

    @AfterEach
    void end() {
        await().until(() -> engine.inFlight() == 0 && engine.running() == 0 && engine.waiting() == 0);
        assertThat(engine.stats().get(0).usedBlocks()).isZero();
        engine.close();
        engine.close();
        assertThat(engine.openConnections()).isZero();
    }

    @Test
    void errorStatus_isLimitedToTheNextRequests() throws Exception {
        engine.faults().next(2, new Fault.ErrorStatus(503, "{\"busy\":1}", 7));

        HttpResponse<String> first = client.post(PATH, PLAIN);
        client.post(PATH, PLAIN);

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.body()).isEqualTo("{\"busy\":1}");
        assertThat(first.headers().firstValue("retry-after")).contains("7");
        assertThat(client.post(PATH, PLAIN).statusCode()).isEqualTo(200);
    }

    @Test
    void errorStatus_alwaysEndsWithClear() throws Exception {
        engine.faults().always(new Fault.ErrorStatus(500));
        assertThat(client.post(PATH, PLAIN).body()).contains("InternalServerError");
        assertThat(client.post(PATH, PLAIN).statusCode()).isEqualTo(500);

        engine.faults().clear();

        assertThat(client.post(PATH, PLAIN).statusCode()).isEqualTo(200);
    }

    @Test
    void resetBeforeHead_givesNothing() throws Exception {
        engine.faults().next(1, new Fault.ResetBeforeHead());

        assertThat(raw(PATH, PLAIN)).isEqualTo("!reset");
        assertThat(engine.clientsGone()).isZero();
    }

    @Test
    void resetMidStream_givesTheEventsBefore() throws Exception {
        engine.faults().next(1, new Fault.ResetMidStream(3));

        String seen = raw(PATH, STREAM);

        assertThat(seen).startsWith("HTTP/1.1 200 OK").endsWith("!reset").doesNotContain("[DONE]");
        assertThat(EngineClient.events(seen)).hasSize(3);
    }

    @Test
    void resetMidStream_ofADocumentGivesHalfOfIt() throws Exception {
        engine.faults().next(1, new Fault.ResetMidStream(1));

        assertThat(raw(PATH, PLAIN))
                .contains("\"object\":\"text_completion\"")
                .doesNotContain("usage")
                .endsWith("!reset");
    }

    @Test
    void resetAfterDone_givesAllEventsButNotTheEnd() throws Exception {
        engine.faults().next(1, new Fault.ResetAfterDone());

        assertThat(raw(PATH, STREAM))
                .contains("data: [DONE]\n\n")
                .doesNotContain("\r\n0\r\n")
                .endsWith("!reset");
    }

    @Test
    void closeWithoutTerminator_endsInGoodOrder() throws Exception {
        engine.faults().next(1, new Fault.CloseWithoutTerminator(2));

        String seen = raw(PATH, STREAM);

        assertThat(EngineClient.events(seen)).hasSize(2);
        assertThat(seen).doesNotContain("\r\n0\r\n").endsWith("!end");
        engine.faults().next(1, new Fault.CloseWithoutTerminator(0));
        assertThat(EngineClient.events(raw(PATH, STREAM))).isEmpty();
    }

    @Test
    void slowHeadAndSlowChunks_delayTheAnswer() throws Exception {
        engine.faults().next(1, new Fault.SlowHead(Duration.ofMillis(150)));
        long start = System.nanoTime();
        client.post(PATH, PLAIN);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));

        engine.faults().next(1, new Fault.SlowChunks(Duration.ofMillis(20)));
        start = System.nanoTime();
        String body = client.post(PATH, STREAM).body();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(9 * 20));
        assertThat(body).endsWith("data: [DONE]\n\n");
    }

    @Test
    void hang_neverAnswersAndEndsWithTheClient() throws Exception {
        engine.faults().next(1, new Fault.Hang());
        try (Socket socket = open(PATH, PLAIN)) {
            await().until(() -> engine.inFlight() == 1);
            assertThat(engine.running()).isZero();
            assertThat(socket.getInputStream().available()).isZero();
        }

        await().until(() -> engine.clientsGone() == 1);
    }

    @Test
    void clientThatLeaves_stopsTheGeneration() throws Exception {
        try (Socket socket = open(PATH, ENDLESS)) {
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            await().until(() -> engine.running() == 1);
        }

        await().until(() -> engine.clientsGone() == 1);
        await().until(() -> engine.running() == 0);
        ModelStats stats = engine.stats().get(0);
        assertThat(stats.abortedTotal()).isEqualTo(1);
        assertThat(stats.generatedTokensTotal()).isLessThan(100_000);
    }

    @Test
    void stopListening_refusesAndComesBackOnTheSamePort() throws Exception {
        int port = engine.port();
        engine.stopListening();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(ConnectException.class);

        engine.startListening();

        assertThat(engine.port()).isEqualTo(port);
        assertThat(client.post(PATH, PLAIN).statusCode()).isEqualTo(200);
    }

    @Test
    void restart_dropsRequestsAndEmptiesTheCache() throws Exception {
        String prompt = "{\"max_tokens\":1,\"prompt\":\"" + "p".repeat(400) + "\"}";
        client.post(PATH, prompt);
        CompletableFuture<String> dropped = CompletableFuture.supplyAsync(() -> {
            try {
                return raw(PATH, ENDLESS);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        await().until(() -> engine.running() == 1);

        engine.restart();

        assertThat(dropped.get()).endsWith("!reset");
        assertThat(engine.clientsGone()).isZero();
        assertThat(client.json(PATH, prompt)
                        .at("/usage/prompt_tokens_details/cached_tokens")
                        .asInt())
                .isZero();
        assertThat(engine.stats().get(0).finishedTotal()).isEqualTo(1);
    }

    @Test
    void health_flapsAndDelays() throws Exception {
        engine.faults().flapHealth(1, 2, HealthFault.ofStatus(503));
        int[] seen = new int[6];
        for (int i = 0; i < seen.length; i++) {
            seen[i] = client.get("/health").statusCode();
        }
        assertThat(seen).containsExactly(200, 503, 503, 200, 503, 503);

        engine.faults().health(new HealthFault(200, Duration.ofMillis(100), false));
        long start = System.nanoTime();
        assertThat(client.get("/health").statusCode()).isEqualTo(200);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));

        engine.faults().health(new HealthFault(200, Duration.ZERO, true));
        assertThatThrownBy(() -> client.send(client.request("/health")
                        .timeout(Duration.ofMillis(200))
                        .build()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void idleConnection_isClosedAfterTheKeepAliveTime() throws Exception {
        try (Socket socket = open("/health", null)) {
            byte[] bytes = socket.getInputStream().readAllBytes();
            assertThat(new String(bytes, StandardCharsets.UTF_8)).startsWith("HTTP/1.1 200 OK");
        }
    }

    @Test
    void pipelinedRequests_areAnsweredInOrder() throws Exception {
        try (Socket socket = open(PATH, PLAIN)) {
            write(socket, PATH, "{\"prompt\":\"a\",\"max_tokens\":1}");
            write(socket, "/health", null);

            String seen = readAll(socket);

            assertThat(seen.split("HTTP/1.1 200 OK", -1)).hasSize(4);
            assertThat(seen.indexOf("\"completion_tokens\":8")).isLessThan(seen.indexOf("\"completion_tokens\":1,"));
        }
    }

    @Test
    void abortRequest_endsTheAnswerWellFormed() throws Exception {
        try (SimulatedEngine sglang =
                SimulatedEngine.start(SimulatedEngineConfig.defaults().withFlavour(EngineFlavour.SGLANG))) {
            EngineClient sgl = new EngineClient(sglang);
            CompletableFuture<HttpResponse<String>> long1 = CompletableFuture.supplyAsync(() -> {
                try {
                    return sgl.post(
                            "/generate",
                            "{\"text\":\"a\",\"rid\":\"job-1\",\"sampling_params\":{\"max_new_tokens\":100000}}");
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            await().until(() -> sglang.running() == 1);
            sgl.post("/abort_request", "{\"rid\":\"other\"}");
            assertThat(sglang.running()).isEqualTo(1);

            sgl.post("/abort_request", "{\"rid\":\"job\"}");

            assertThat(EngineClient.parse(long1.get().body())
                            .at("/meta_info/finish_reason/type")
                            .asText())
                    .isEqualTo("abort");
            assertThat(sglang.counters().aborted()).isEqualTo(1);
            await().until(() -> sglang.running() == 0);
        }
    }

    /** Everything the engine sends, then "!end" or "!reset". */
    private String raw(String path, String body) throws IOException {
        try (Socket socket = open(path, body)) {
            return readAll(socket);
        }
    }

    private static String readAll(Socket socket) throws IOException {
        StringBuilder seen = new StringBuilder();
        InputStream in = socket.getInputStream();
        byte[] buffer = new byte[65_536];
        try {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                seen.append(new String(buffer, 0, n, StandardCharsets.UTF_8));
            }
            return seen.append("!end").toString();
        } catch (SocketException e) {
            return seen.append("!reset").toString();
        }
    }

    private Socket open(String path, @Nullable String body) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), engine.port());
        socket.setSoTimeout(20_000);
        write(socket, path, body);
        return socket;
    }

    private static void write(Socket socket, String path, @Nullable String body) throws IOException {
        OutputStream out = socket.getOutputStream();
        String request = body == null
                ? "GET " + path + " HTTP/1.1\r\nHost: e\r\n\r\n"
                : "POST " + path + " HTTP/1.1\r\nHost: e\r\nContent-Length: "
                        + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
        out.write(request.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
