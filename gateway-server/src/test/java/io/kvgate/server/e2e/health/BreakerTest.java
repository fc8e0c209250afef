package io.kvgate.server.e2e.health;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What opens a breaker, what does not, and what clients see meanwhile. */
@Timeout(60)
final class BreakerTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void report103_clientMistakes_doNotOpenTheBreaker() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.breaker(3, 1, Duration.ofMinutes(1)));
        for (int status : new int[] {400, 404, 422}) {
            String body = "{\"error\":{\"message\":\"yours " + status + "\"}}";
            worker.script(Scripts.json(status, body));
            for (int i = 0; i < 50; i++) {
                ClientResponse response = gateway.chat(REQ_N);
                assertThat(response.status()).isEqualTo(status);
                assertThat(response.text()).isEqualTo(body);
            }
            assertThat(gateway.scrape()
                            .sum("smg_router_upstream_responses_total", "status_code", String.valueOf(status)))
                    .isEqualTo(50);
        }
        assertThat(worker.requestCount()).isEqualTo(150);
        assertThat(gateway.scrape().sum("smg_worker_cb_state")).isZero();
        worker.script(Scripts.completion());
        assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
    }

    @Test
    void report105_fullWorker_isNotBroken() throws Exception {
        ScriptedWorker full = fleet.worker(Scripts.json(429, "{\"detail\":\"full\"}", "Retry-After: 1"));
        ScriptedWorker free = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.breaker(3, 1, Duration.ofMinutes(1)));
        for (int i = 0; i < 40; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        assertThat(free.requestCount()).isEqualTo(40);
        assertThat(gateway.scrape().sum("smg_worker_cb_state")).isZero();

        int before = full.requestCount();
        full.script(Scripts.completion());
        await().atMost(GatewayFixture.SETTLE).until(() -> {
            gateway.chat(REQ_N);
            return full.requestCount() > before;
        });
    }

    @Test
    void report105_fullWorker_isLeftAloneForTheTimeItAsks() throws Exception {
        ScriptedWorker full = fleet.worker(Scripts.json(429, "{\"detail\":\"full\"}", "Retry-After: 20"));
        ScriptedWorker free = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("round_robin"));
        for (int i = 0; i < 20; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        assertThat(full.requestCount()).isEqualTo(1);
        assertThat(free.requestCount()).isEqualTo(20);
    }

    @Test
    void report105_allFull_is429WithTheEnginesPause() throws Exception {
        fleet.workers(2, Scripts.json(429, "{\"detail\":\"full\"}", "Retry-After: 1"));
        GatewayFixture gateway = fleet.gateway(config -> config.attempts(2).breaker(3, 1, Duration.ofMinutes(1)));
        for (int i = 0; i < 3; i++) {
            ClientResponse response = gateway.chat(REQ_N);
            assertThat(response.status()).isEqualTo(429);
            assertThat(response.header("retry-after")).isEqualTo("1");
            assertThat(response.text()).isEqualTo("{\"detail\":\"full\"}");
        }
        assertThat(gateway.scrape().sum("smg_worker_cb_state")).isZero();
    }

    @Test
    void report106_allBreakersOpen_is503NotUnknownModel() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.json(500, "{\"detail\":\"boom\"}"));
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries().breaker(2, 1, Duration.ofMillis(1_500)));
        gateway.chat(REQ_N);
        gateway.chat(REQ_N);
        ClientResponse unavailable = gateway.chat(REQ_N);
        assertError(unavailable, 503, "no_available_workers");
        assertThat(Integer.parseInt(unavailable.header("retry-after"))).isPositive();
        assertError(gateway.chat(REQ_N.replace("tiny-1", "nope")), 404, "model_not_found");
        assertThat(worker.requestCount()).isEqualTo(2);
    }

    @Test
    void report106_halfOpenBreaker_admitsAsManyAsItNeeds() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.json(500, "{\"detail\":\"boom\"}"));
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries().breaker(2, 2, Duration.ofMillis(500)));
        gateway.chat(REQ_N);
        gateway.chat(REQ_N);
        assertError(gateway.chat(REQ_N), 503, "no_available_workers");
        CountDownLatch release = new CountDownLatch(1);
        worker.script(Scripts.slowHead(release, Scripts.completion()));
        await().atMost(Duration.ofSeconds(5)).until(gateway::isReady);
        List<Future<Parallel.Timed<ClientResponse>>> calls = Parallel.start(6, number -> gateway.chat(REQ_N));
        await().until(() -> calls.stream().filter(Future::isDone).count() == 4);
        assertThat(worker.running()).isEqualTo(2);
        release.countDown();
        int good = 0;
        for (Future<Parallel.Timed<ClientResponse>> call : calls) {
            ClientResponse response = call.get().value();
            if (response.status() == 200) {
                good++;
            } else {
                assertError(response, 503, "no_available_workers");
            }
        }
        assertThat(good).isEqualTo(2);
        assertThat(gateway.chat(REQ_N).text()).isEqualTo(COMPLETION);
        assertThat(gateway.scrape().sum("smg_worker_cb_state")).isZero();
    }

    @Test
    void report113_allBreakersOpen_readinessSaysNo() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.json(500, "{\"detail\":\"boom\"}"));
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries().breaker(2, 1, Duration.ofMillis(1_500)));
        gateway.chat(REQ_N);
        gateway.chat(REQ_N);
        ClientResponse readiness = gateway.get("/readiness");
        assertThat(readiness.status()).isEqualTo(503);
        assertThat(readiness.header("content-type")).startsWith("application/json");
        assertThat(readiness.text()).contains("\"reason\"");
        assertThat(gateway.get("/liveness").status()).isEqualTo(200);
        worker.script(Scripts.completion());
        gateway.awaitReady();
        assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
    }
}
