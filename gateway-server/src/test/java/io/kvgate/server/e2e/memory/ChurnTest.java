package io.kvgate.server.e2e.memory;

import static io.kvgate.server.e2e.kit.Vocabulary.CHAT;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.ConfigChange;
import io.kvgate.server.e2e.kit.Exposition;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many clients that leave and workers that die: at the end nothing is held and everything was counted. */
final class ChurnTest {
    private static final int THREADS = 8;
    private static final long ROOM_BYTES = 48 << 20;

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    @Timeout(60)
    void report066_clientsLeaveAnywhere_nothingIsHeld() throws Exception {
        leaveAnywhere(1_200, 66);
    }

    @Test
    @Tag("soak")
    @Timeout(600)
    void report066_veryManyClientsLeaveAnywhere_nothingIsHeld() throws Exception {
        leaveAnywhere(100_000, 660);
    }

    private void leaveAnywhere(int requests, long seed) throws Exception {
        for (ScriptedWorker worker : fleet.workers(2, Scripts.sse3())) {
            worker.countOnly();
        }
        GatewayFixture gateway = fleet.gateway();
        long before = PlatformDependent.usedDirectMemory();
        byte[] request = RawClient.request("POST", CHAT, REQ_S);
        Parallel.run(THREADS, number -> {
            Random random = new Random(seed + number);
            for (int i = 0; i < requests / THREADS; i++) {
                leaveSomewhere(gateway, request, random);
            }
            return number;
        });
        await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
            Exposition scrape = gateway.scrape();
            assertThat(scrape.sum("kvgate_http_requests_inflight")).isZero();
            assertThat(scrape.sum("smg_http_connections_active")).isLessThanOrEqualTo(1);
        });
        assertThat(PlatformDependent.usedDirectMemory() - before)
                .as("direct memory, seed %d", seed)
                .isLessThan(ROOM_BYTES);
        assertThat(gateway.chat(REQ_S).status()).isEqualTo(200);
    }

    /** Before the request is whole, after it, in the head, in an event, at the end; by FIN or by RST. */
    private static void leaveSomewhere(GatewayFixture gateway, byte[] request, Random random) throws IOException {
        try (RawClient client = RawClient.connect(gateway.port())) {
            int phase = random.nextInt(5);
            if (phase == 0) {
                client.send(java.util.Arrays.copyOf(request, 1 + random.nextInt(request.length - 1)));
            } else {
                client.send(request);
            }
            if (phase >= 2) {
                client.readHead();
            }
            if (phase == 3) {
                client.body().next();
            }
            if (phase == 4) {
                client.body().rest();
            }
            if (random.nextBoolean()) {
                client.closeRst();
            }
        }
    }

    @Test
    @Timeout(60)
    void report067_clientsLeaveDuringTheirUpload_nothingIsHeld() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        long before = PlatformDependent.usedDirectMemory();
        byte[] part = new byte[1 << 20];
        java.util.Arrays.fill(part, (byte) 'u');
        for (int i = 0; i < 60; i++) {
            try (RawClient client = RawClient.connect(gateway.port())) {
                client.send("POST " + CHAT + " HTTP/1.1\r\nHost: g\r\nContent-Length: 5000000\r\n\r\n");
                client.send(part).send(part);
                if (i % 2 == 0) {
                    client.closeRst();
                }
            }
        }
        await().atMost(GatewayFixture.SETTLE).until(() -> gateway.scrape().sum("kvgate_body_bytes_buffered") == 0);
        assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(ROOM_BYTES);
        assertThat(worker.requestCount()).isZero();
        assertThat(worker.truncatedRequests()).isEmpty();
    }

    @Test
    @Timeout(90)
    void report033_workersRestartUnderLoad_everyRequestIsAccountedFor() throws Exception {
        restartUnderLoad(2_000);
    }

    @Test
    @Tag("soak")
    @Timeout(900)
    void report033_workersRestartForLong_everyRequestIsAccountedFor() throws Exception {
        restartUnderLoad(100_000);
    }

    private void restartUnderLoad(int requests) throws Exception {
        List<ScriptedWorker> workers = fleet.workers(4, Scripts.completion());
        workers.forEach(ScriptedWorker::countOnly);
        GatewayFixture gateway = fleet.gateway(config -> restarts(config));
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger good = new AtomicInteger();
        Random random = new Random(33);
        Parallel.run(THREADS, number -> {
            try (RawClient client = RawClient.connect(gateway.port())) {
                for (int mine = sent.incrementAndGet(); mine <= requests; mine = sent.incrementAndGet()) {
                    if (mine % 200 == 0) {
                        restart(workers, random);
                    }
                    ClientResponse response = client.chat(REQ_N).readResponse();
                    assertThat(response.status()).isIn(200, 502, 503);
                    good.addAndGet(response.status() == 200 ? 1 : 0);
                }
            }
            return number;
        });
        assertThat(good.get()).isGreaterThan(requests * 95 / 100);
        gateway.awaitReadyWorkers(4);
        await().atMost(GatewayFixture.SETTLE).untilAsserted(() -> {
            Exposition scrape = gateway.scrape();
            assertThat(scrape.sum("kvgate_router_outcomes_total", "outcome", "completed"))
                    .isEqualTo(good.get());
            assertThat(scrape.sum("kvgate_router_outcomes_total", "outcome", "failed"))
                    .isEqualTo(requests - good.get());
        });
        for (int i = 0; i < 200; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        int seen = workers.stream().mapToInt(ScriptedWorker::requestCount).sum();
        assertThat(seen).isGreaterThanOrEqualTo(good.get() + 200);
    }

    private static void restarts(ConfigChange config) {
        config.probes(Duration.ofMillis(100), Duration.ofSeconds(1), 1, 1).breaker(5, 1, Duration.ofMillis(200));
    }

    private static void restart(List<ScriptedWorker> workers, Random random) throws IOException {
        synchronized (workers) {
            ScriptedWorker victim = workers.get(random.nextInt(workers.size()));
            victim.crash();
            victim.listenAgain();
        }
    }
}
