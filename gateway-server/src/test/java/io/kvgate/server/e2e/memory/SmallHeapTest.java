package io.kvgate.server.e2e.memory;

import static io.kvgate.server.e2e.kit.Vocabulary.CHAT;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.delta;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.core.time.Ticker;
import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayProcess;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ResponseHead;
import io.kvgate.server.e2e.kit.Script;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Large bodies and many streams through a gateway process whose memory is small. */
@Tag("soak")
@Timeout(300)
final class SmallHeapTest {
    private static final int PIECE = 1 << 16;

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private GatewayProcess launch(ScriptedWorker worker, List<String> jvmFlags, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--prometheus-host",
                "127.0.0.1",
                "--prometheus-port",
                "0",
                "--log-level",
                "warn",
                "--policy",
                "round_robin",
                "--worker-urls",
                worker.url().toString()));
        arguments.addAll(List.of(more));
        GatewayProcess process = fleet.owns(GatewayProcess.start(jvmFlags, arguments.toArray(String[]::new)));
        process.awaitStarted();
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            try (RawClient client = RawClient.connect(process.port())) {
                return client.get("/readiness").readResponse().status() == 200;
            }
        });
        return process;
    }

    private static byte[] piece(int number) {
        byte[] bytes = new byte[PIECE];
        Arrays.fill(bytes, (byte) ('a' + number % 26));
        return bytes;
    }

    private void largeAnswerPasses(int pieces, Script script) throws Exception {
        ScriptedWorker worker = fleet.worker(script);
        GatewayProcess process = launch(worker, List.of("-Xmx256m", "-XX:MaxDirectMemorySize=128m"));
        MessageDigest expected = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < pieces; i++) {
            expected.update(piece(i));
        }
        MessageDigest got = MessageDigest.getInstance("SHA-256");
        try (RawClient client = RawClient.connect(process.port())) {
            ResponseHead head = client.post(CHAT, REQ_N).readHead();
            assertThat(head.status()).isEqualTo(200);
            for (byte[] next = client.body().next();
                    next != null;
                    next = client.body().next()) {
                got.update(next);
            }
            assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
        }
        assertThat(got.digest()).isEqualTo(expected.digest());
        assertThat(process.isAlive()).isTrue();
    }

    @Test
    void report025_answerOf300Mebibytes_passesInChunks() throws Exception {
        int pieces = 300 << 4;
        largeAnswerPasses(pieces, exchange -> {
            exchange.head(200, "Content-Type: application/json", "Transfer-Encoding: chunked");
            for (int i = 0; i < pieces; i++) {
                exchange.chunk(piece(i));
            }
            exchange.lastChunk();
        });
    }

    @Test
    void report025_answerOf300Mebibytes_passesWithLength() throws Exception {
        int pieces = 300 << 4;
        largeAnswerPasses(pieces, exchange -> {
            exchange.head(200, "Content-Type: application/json", "Content-Length: " + (long) pieces * PIECE);
            for (int i = 0; i < pieces; i++) {
                exchange.send(piece(i));
            }
        });
    }

    @Test
    void report069_requestOf200Megabytes_passesByDefault() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion()).keptBodyBytes(1_000);
        GatewayProcess process = launch(worker, List.of("-Xmx512m", "-XX:MaxDirectMemorySize=1g"));
        byte[] front = "{\"model\":\"tiny-1\",\"messages\":[{\"role\":\"user\",\"content\":\""
                .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        byte[] back = "\"}]}".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        int pieces = 200_000_000 / PIECE;
        long length = front.length + (long) pieces * PIECE + back.length;
        try (RawClient client = RawClient.connect(process.port())) {
            client.readLimit(Duration.ofSeconds(60));
            client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nContent-Length: " + length + "\r\n\r\n")
                    .send(front);
            for (int i = 0; i < pieces; i++) {
                client.send(piece(i));
            }
            assertThat(client.send(back).readResponse().status()).isEqualTo(200);
        }
        assertThat(worker.requests().get(0).bodyBytes()).isEqualTo(length);
    }

    /** Probes are answered while very many streams run. */
    @Test
    void report199_manyStreams_doNotStarveTheProbes() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> {
                    exchange.sseHead();
                    for (int i = 0; i < 20 && exchange.pause(Duration.ofMillis(250)); i++) {
                        exchange.chunk(delta("e" + i));
                    }
                    exchange.lastChunk();
                })
                .countOnly();
        GatewayProcess process = launch(worker, List.of("-Xmx512m", "-XX:ActiveProcessorCount=2"));
        var streams = Parallel.start(1_000, Duration.ofSeconds(4), number -> {
            try (RawClient client = RawClient.connect(process.port())) {
                client.readLimit(Duration.ofSeconds(60));
                return client.post(CHAT, REQ_S).readResponse().end();
            }
        });
        List<Duration> probes = new ArrayList<>();
        while (streams.stream().anyMatch(stream -> !stream.isDone())) {
            try (RawClient client = RawClient.connect(process.port())) {
                long began = Ticker.system().nanos();
                assertThat(client.get("/liveness").readResponse().status()).isEqualTo(200);
                probes.add(Duration.ofNanos(Ticker.system().nanos() - began));
                client.isClosedWithin(Duration.ofMillis(200));
            }
        }
        assertThat(probes).hasSizeGreaterThan(5);
        assertThat(probes).as("probes").allMatch(took -> took.compareTo(Duration.ofSeconds(1)) < 0);
        for (var stream : streams) {
            assertThat(stream.get().value()).isEqualTo(BodyEnd.COMPLETE);
        }
    }

    /** Processor time grows with events, not with their square. */
    @Test
    void report027_processorTime_growsLinearlyWithEvents() throws Exception {
        Duration small = processorTime(1_500);
        Duration large = processorTime(3_000);
        // Start-up is in both; so the ratio of the whole is below that of the events alone.
        assertThat((double) large.toMillis() / small.toMillis())
                .as("%s / %s", large, small)
                .isLessThan(2.2);
    }

    private Duration processorTime(int events) throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> {
            exchange.sseHead();
            for (int i = 0; i < events; i++) {
                exchange.chunk(delta("e" + i));
            }
            exchange.lastChunk();
        });
        GatewayProcess process = launch(worker, List.of("-Xmx512m"));
        Parallel.run(50, number -> {
            try (RawClient client = RawClient.connect(process.port())) {
                client.post(CHAT, REQ_S).readHead();
                long total = 0;
                for (byte[] next = client.body().next();
                        next != null;
                        next = client.body().next()) {
                    total += next.length;
                }
                assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
                return total;
            }
        });
        return ProcessHandle.of(process.pid())
                .flatMap(handle -> handle.info().totalCpuDuration())
                .orElseThrow(() -> new IOException("no processor time"));
    }
}
