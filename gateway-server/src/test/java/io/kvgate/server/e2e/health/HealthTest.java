package io.kvgate.server.e2e.health;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.kvgate.core.time.Ticker;
import io.kvgate.server.config.RegistrationConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Exchange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.Script;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers that come late, die, come back, or are slow to say that they live. */
@Timeout(60)
final class HealthTest {
    private static final Duration INTERVAL = Duration.ofMillis(150);

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void report080_probes_doNotTouchTheCountOfRunningRequests() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.heldStream(release));
        GatewayFixture gateway = fleet.gateway(config -> config.probes(INTERVAL, Duration.ofSeconds(1), 2, 1));
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            RawClient client = gateway.client();
            client.chat(REQ_S).readHead();
            clients.add(client);
        }
        worker.health(exchange -> exchange.head(503, "Content-Length: 0"));
        for (int i = 0; i < 10; i++) {
            assertThat(gateway.scrape().sum("smg_worker_requests_active")).isEqualTo(30);
            worker.exchanges().get(0).pause(Duration.ofMillis(100));
        }
        assertThat(gateway.isReady()).isFalse();
        worker.health(exchange -> exchange.head(200, "Content-Length: 0"));
        gateway.awaitReady();
        assertThat(gateway.scrape().sum("smg_worker_requests_active")).isEqualTo(30);
        release.countDown();
        for (RawClient client : clients) {
            client.body().rest();
        }
    }

    @Test
    void report107_allWorkersDie_answersComeAtOnceAndServiceReturns() throws Exception {
        List<ScriptedWorker> workers = fleet.workers(3, Scripts.completion());
        GatewayFixture gateway = fleet.gateway(
                config -> config.probes(INTERVAL, Duration.ofSeconds(1), 1, 1).breaker(5, 1, Duration.ofMillis(300)));
        for (ScriptedWorker worker : workers) {
            worker.crash();
        }
        long end = Ticker.system().nanos() + Duration.ofMillis(2_500).toNanos();
        int calls = 0;
        while (Ticker.system().nanos() < end) {
            for (Parallel.Timed<ClientResponse> call : Parallel.run(4, number -> gateway.chat(REQ_N))) {
                assertThat(call.value().status()).isIn(502, 503);
                assertThat(call.took()).isLessThan(Duration.ofSeconds(1));
                calls++;
            }
        }
        // One outcome line per request is the access log's; beside it there is no line per request.
        assertThat(gateway.log().messages(Level.WARN)).hasSizeLessThan(Math.max(60, calls / 4));
        for (ScriptedWorker worker : workers) {
            worker.listenAgain();
        }
        await().atMost(Duration.ofSeconds(3))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> gateway.chat(REQ_N).status() == 200);
        gateway.awaitReadyWorkers(3);
        for (int i = 0; i < 30; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
    }

    @Test
    void report108_noWorkerUpAtStart_gatewayWaitsForOne() throws Exception {
        List<ScriptedWorker> workers = fleet.workers(3, Scripts.completion());
        for (ScriptedWorker worker : workers) {
            worker.crash();
        }
        GatewayFixture gateway = fleet.gatewayNotReady(config -> config.probes(INTERVAL, Duration.ofSeconds(1), 1, 1));
        assertThat(gateway.get("/liveness").status()).isEqualTo(200);
        assertThat(gateway.get("/health").status()).isEqualTo(200);
        ClientResponse readiness = gateway.get("/readiness");
        assertThat(readiness.status()).isEqualTo(503);
        assertThat(readiness.text()).contains("\"total_workers\":3");
        assertError(gateway.chat(REQ_N), 503, gateway.chat(REQ_N).header("x-smg-error-code"));
        workers.get(1).listenAgain();
        gateway.awaitReadyWorkers(1);
        assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        assertThat(workers.get(1).requestCount()).isEqualTo(1);
    }

    @Test
    void report108_noWorkerAtAll_gatewayRuns() throws Exception {
        GatewayFixture gateway = fleet.gatewayNotReady(config -> {});
        assertThat(gateway.get("/liveness").status()).isEqualTo(200);
        assertThat(gateway.get("/readiness").status()).isEqualTo(503);
        assertError(gateway.chat(REQ_N), 503, "no_workers");
    }

    private static Script onlyWithKey(String key, Script then) {
        return exchange -> {
            if (("Bearer " + key).equals(exchange.request().header("authorization"))) {
                then.run(exchange);
            } else {
                exchange.json(401, "{\"error\":\"Unauthorized\"}");
            }
        };
    }

    private ScriptedWorker lockedWorker(String key) throws Exception {
        ScriptedWorker worker = fleet.worker(onlyWithKey(key, Scripts.completion()));
        worker.health(onlyWithKey(key, exchange -> exchange.head(200, "Content-Length: 0")));
        worker.on("GET /v1/models", onlyWithKey(key, Scripts.json(200, ScriptedWorker.models("locked-1"))));
        return worker;
    }

    @Test
    void report109_workerWithKey_isProbedAndServedWithIt() throws Exception {
        ScriptedWorker worker = lockedWorker("w-key");
        GatewayFixture gateway = fleet.gateway(config -> config.workerKey(worker, "w-key"));
        assertThat(gateway.chat(REQ_N.replace("tiny-1", "locked-1")).status()).isEqualTo(200);
        assertThat(gateway.get("/v1/models").text()).contains("locked-1");
    }

    @Test
    void report109_workerWithWrongKey_isToldAs401AndKept() throws Exception {
        ScriptedWorker worker = lockedWorker("w-key");
        GatewayFixture gateway = fleet.gatewayNotReady(
                config -> config.probes(INTERVAL, Duration.ofSeconds(1), 1, 1).workerKey(worker, "wrong"));
        await().until(() -> worker.probes().size() >= 2);
        String workers = gateway.get("/workers").text();
        assertThat(workers)
                .contains("401")
                .contains(String.valueOf(worker.port()))
                .doesNotContain("wrong");
        assertThat(gateway.isReady()).isFalse();
        assertThat(gateway.scrape().sum("smg_discovery_deregistrations_total")).isZero();
    }

    @Test
    void report110_slowStart_isWaitedForBeyondTheLimit() throws Exception {
        AtomicInteger probes = new AtomicInteger();
        ScriptedWorker slow = fleet.worker(Scripts.completion());
        slow.health(exchange -> exchange.head(probes.incrementAndGet() < 5 ? 503 : 200, "Content-Length: 0"));
        ScriptedWorker quick = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gatewayNotReady(config -> {
            config.probes(INTERVAL, Duration.ofSeconds(1), 3, 1);
            config.registration = new RegistrationConfig(Duration.ofMillis(500), Duration.ofSeconds(30));
        });
        gateway.awaitReadyWorkers(1);
        for (int i = 0; i < 4; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        assertThat(quick.requestCount()).isEqualTo(4);
        await().until(() -> gateway.log().messages(Level.WARN).stream()
                .anyMatch(line -> line.contains(String.valueOf(slow.port())) && line.contains("FAILED")));
        gateway.awaitReadyWorkers(2);
    }

    @Test
    void report111_fewSlowHealthAnswers_keepTheWorkerIn() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.probes(INTERVAL, Duration.ofMillis(300), 3, 1));
        AtomicInteger slow = new AtomicInteger();
        worker.health(exchange -> {
            if (slow.incrementAndGet() <= 2) {
                exchange.pause(Duration.ofMillis(800));
            }
            exchange.head(200, "Content-Length: 0");
        });
        while (slow.get() < 5) {
            assertThat(gateway.isReady()).isTrue();
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        assertThat(gateway.isReady()).isTrue();
    }

    @Test
    void report113_allWorkersRefuse_readinessSaysNoUntilOneIsBack() throws Exception {
        List<ScriptedWorker> workers = fleet.workers(2, Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.probes(INTERVAL, Duration.ofSeconds(1), 2, 1));
        for (ScriptedWorker worker : workers) {
            worker.crash();
        }
        await().atMost(Duration.ofSeconds(2)).until(() -> !gateway.isReady());
        assertThat(gateway.get("/readiness").text()).contains("\"reason\"");
        assertThat(gateway.get("/liveness").status()).isEqualTo(200);
        assertThat(gateway.scrape().sum("kvgate_ready")).isZero();
        workers.get(0).listenAgain();
        gateway.awaitReady();
        assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
    }

    /** A slow check of one worker does not delay those of the others. */
    @Test
    void report111_silentHealth_doesNotDelayOtherWorkers() throws Exception {
        ScriptedWorker silent = fleet.worker(Scripts.completion());
        silent.health(Exchange::halt);
        ScriptedWorker flapping = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gatewayNotReady(config -> config.probes(INTERVAL, Duration.ofSeconds(10), 1, 1));
        gateway.awaitReadyWorkers(1);
        flapping.health(exchange -> exchange.head(500, "Content-Length: 0"));
        await().atMost(Duration.ofSeconds(2)).until(() -> !gateway.isReady());
    }
}
