package io.kvgate.server.e2e.limits;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.SSE_3;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.config.AdmissionConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The cap on concurrent requests, its queue, and the limit of rate beside it. */
@Timeout(60)
final class ConcurrencyTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static void awaitQueue(GatewayFixture gateway, int waiting) {
        await().pollInterval(Duration.ofMillis(10))
                .until(() -> gateway.scrape().sum("kvgate_queue_waiting") == waiting);
    }

    /** Both permits are free: two held requests reach the worker at the same time. */
    private static void assertTwoSlotsFree(GatewayFixture gateway, ScriptedWorker worker) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        worker.script(Scripts.slowHead(release, Scripts.completion()));
        List<Future<Parallel.Timed<ClientResponse>>> two = Parallel.start(2, number -> gateway.chat(REQ_N));
        await().atMost(GatewayFixture.SETTLE).until(() -> worker.running() == 2);
        release.countDown();
        for (Future<Parallel.Timed<ClientResponse>> call : two) {
            assertThat(call.get().value().status()).isEqualTo(200);
        }
    }

    @Test
    void report073_concurrencyCap_isNoRate() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.heldStream(release));
        GatewayFixture gateway = fleet.gateway(config -> config.concurrency(10, 0, LONG));
        List<RawClient> running = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            RawClient client = gateway.client();
            client.chat(REQ_S).readHead();
            running.add(client);
        }
        // Longer than a second, so that a bucket that refills ten per second would let more through.
        for (int i = 0; i < 24; i++) {
            ClientResponse refused = gateway.chat(REQ_S);
            assertError(refused, 429, "queue_full");
            assertThat(worker.exchanges().get(0).pause(Duration.ofMillis(60))).isTrue();
        }
        release.countDown();
        for (RawClient client : running) {
            assertThat(new String(client.body().rest(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo(String.join("", SSE_3));
        }
        assertThat(worker.peakRunning()).isEqualTo(10);
        assertThat(worker.requestCount()).isEqualTo(10);
    }

    @Test
    void report073_rateLimit_isASecondGate() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.admission = new AdmissionConfig(10, 0, LONG, 5, 0));
        RawClient client = gateway.client();
        int passed = 0;
        int limited = 0;
        for (int i = 0; i < 60; i++) {
            ClientResponse response = client.chat(REQ_N).readResponse();
            if (response.status() == 200) {
                passed++;
            } else {
                assertError(response, 429, "rate_limited");
                limited++;
            }
        }
        assertThat(limited).isGreaterThan(30);
        assertThat(passed).isEqualTo(worker.requestCount()).isLessThan(30);
        client.close();
        await().pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofSeconds(3))
                .until(() -> gateway.chat(REQ_N).status() == 200);
    }

    @Test
    void report074_permit_isHeldUntilTheBodyEnds() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.heldStream(release));
        GatewayFixture gateway = fleet.gateway(config -> config.concurrency(2, 10, LONG));
        RawClient first = gateway.client();
        RawClient second = gateway.client();
        first.chat(REQ_S).readHead();
        second.chat(REQ_S).readHead();
        RawClient third = gateway.client();
        third.chat(REQ_S);
        awaitQueue(gateway, 1);
        assertThat(gateway.scrape().sum("kvgate_permits_in_use")).isEqualTo(2);
        assertThat(worker.running()).isEqualTo(2);
        release.countDown();
        assertThat(third.readHead().status()).isEqualTo(200);
        assertThat(worker.peakRunning()).isEqualTo(2);
        for (RawClient client : List.of(first, second, third)) {
            client.body().rest();
        }
    }

    @Test
    void report074_clientsLeaveTheQueue_placesComeBack() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.heldStream(release));
        GatewayFixture gateway = fleet.gateway(config -> config.concurrency(2, 10, LONG));
        RawClient first = gateway.client();
        RawClient second = gateway.client();
        first.chat(REQ_S).readHead();
        second.chat(REQ_S).readHead();
        for (int round = 0; round < 20; round++) {
            List<RawClient> queued = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                queued.add(RawClient.connect(gateway.port()).chat(REQ_N));
            }
            awaitQueue(gateway, 10);
            for (RawClient client : queued) {
                client.close();
            }
            awaitQueue(gateway, 0);
        }
        assertThat(worker.requestCount()).isEqualTo(2);
        release.countDown();
        first.body().rest();
        second.body().rest();
        assertTwoSlotsFree(gateway, worker);
    }

    @Test
    void report074_clientsLeaveBeforeTheFirstToken_permitsComeBack() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.silent());
        GatewayFixture gateway = fleet.gateway(config -> config.concurrency(2, 10, LONG));
        for (int i = 1; i <= 100; i++) {
            int count = i;
            try (RawClient client = RawClient.connect(gateway.port())) {
                client.chat(REQ_S);
                await().pollInterval(Duration.ofMillis(2)).until(() -> worker.requestCount() == count);
            }
        }
        assertTwoSlotsFree(gateway, worker);
    }

    @Test
    void report074_workerResets_permitsComeBack() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.resetBeforeHead());
        GatewayFixture gateway = fleet.gateway(
                config -> config.concurrency(2, 10, LONG).noRetries().noBreaker());
        for (int i = 0; i < 50; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(502);
        }
        worker.script(Scripts.resetAfterHead());
        for (int i = 0; i < 50; i++) {
            gateway.chat(REQ_S);
        }
        assertTwoSlotsFree(gateway, worker);
    }

    @Test
    void report075_overload_isToldAtOnceAndQueueIsFifo() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.slowHead(release, Scripts.completion()));
        GatewayFixture gateway = fleet.gateway(config -> config.concurrency(4, 4, LONG));
        List<RawClient> admitted = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            admitted.add(gateway.client().chat(REQ_N, "X-Request-Id: q-" + i));
            int count = i + 1;
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> worker.running() == Math.min(count, 4)
                            && gateway.scrape().sum("kvgate_queue_waiting") == Math.max(0, count - 4));
        }
        for (Parallel.Timed<ClientResponse> call : Parallel.run(12, number -> gateway.chat(REQ_N))) {
            assertError(call.value(), 429, "queue_full");
            assertThat(call.value().text()).contains("--max-concurrent-requests", "--queue-size");
            assertThat(Integer.parseInt(call.value().header("retry-after"))).isPositive();
            assertThat(call.took()).isLessThan(Duration.ofSeconds(2));
        }
        release.countDown();
        for (RawClient client : admitted) {
            assertThat(client.readResponse().text()).isEqualTo(COMPLETION);
        }
        assertThat(worker.peakRunning()).isEqualTo(4);
        assertThat(worker.requestCount()).isEqualTo(8);
    }

    @Test
    void report075_queue_isFirstComeFirstServed() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.slowHead(release, Scripts.completion()));
        GatewayFixture gateway = fleet.gateway(config -> config.concurrency(1, 8, LONG));
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            clients.add(gateway.client().chat(REQ_N, "X-Request-Id: f-" + i));
            int waiting = i;
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> worker.running() == 1 && gateway.scrape().sum("kvgate_queue_waiting") == waiting);
        }
        release.countDown();
        for (RawClient client : clients) {
            assertThat(client.readResponse().status()).isEqualTo(200);
        }
        for (int i = 0; i < 9; i++) {
            assertThat(worker.requests().get(i).header("x-request-id")).isEqualTo("f-" + i);
        }
    }

    @Test
    void report075_waitingTooLong_hasACodeOfItsOwn() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        fleet.worker(Scripts.slowHead(release, Scripts.completion()));
        GatewayFixture gateway = fleet.gateway(config -> config.concurrency(1, 4, Duration.ofMillis(300)));
        RawClient first = gateway.client().chat(REQ_N);
        awaitPermits(gateway, 1);
        ClientResponse late = gateway.chat(REQ_N);
        assertError(late, 429, "queue_timeout");
        assertThat(late.text()).contains("--queue-timeout-secs");
        assertThat(late.header("retry-after")).isNotNull();
        release.countDown();
        assertThat(first.readResponse().status()).isEqualTo(200);
    }

    private static void awaitPermits(GatewayFixture gateway, int permits) {
        await().until(() -> gateway.scrape().sum("kvgate_permits_in_use") == permits);
    }

    /** Three causes, three codes: nobody there, nobody free, waited too long. */
    @Test
    void report115_emptyAndFull_areToldApart() throws Exception {
        GatewayFixture empty = fleet.gatewayNotReady(config -> config.concurrency(1, 0, LONG));
        assertError(empty.chat(REQ_N), 503, "no_workers");
        CountDownLatch release = new CountDownLatch(1);
        fleet.worker(Scripts.slowHead(release, Scripts.completion()));
        GatewayFixture full = fleet.gateway(config -> config.concurrency(1, 0, LONG));
        RawClient first = full.client().chat(REQ_N);
        awaitPermits(full, 1);
        assertError(full.chat(REQ_N), 429, "queue_full");
        release.countDown();
        assertThat(first.readResponse().status()).isEqualTo(200);
    }

    @Test
    void report061_parallelRequestsToOneWorker_allRunAtOnce() throws Exception {
        allAtOnce(200);
    }

    @Test
    @Tag("soak")
    void report061_aThousandParallelRequestsToOneWorker_allRunAtOnce() throws Exception {
        allAtOnce(1_000);
    }

    @Test
    @Tag("soak")
    void report075_twoThousandParallelRequests_passByDefault() throws Exception {
        allAtOnce(2_048);
    }

    private void allAtOnce(int count) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.slowHead(release, Scripts.completion()));
        GatewayFixture gateway = fleet.gateway();
        List<Future<Parallel.Timed<ClientResponse>>> calls = Parallel.start(count, number -> gateway.chat(REQ_N));
        await().atMost(Duration.ofSeconds(20)).until(() -> worker.running() == count);
        release.countDown();
        for (Future<Parallel.Timed<ClientResponse>> call : calls) {
            assertThat(call.get().value().status()).isEqualTo(200);
        }
        assertThat(worker.peakRunning()).isEqualTo(count);
        assertThat(worker.requestCount()).isEqualTo(count);
    }
}
