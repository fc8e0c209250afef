package io.kvgate.server.e2e.metrics;

import static io.kvgate.server.e2e.kit.Vocabulary.DONE;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.delta;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.server.config.MetricsConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Exposition;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a scrape and the log tell of requests and workers. */
@Timeout(60)
final class MetricsTest {
    private static final List<String> WORKER_GAUGES =
            List.of("smg_worker_health", "smg_worker_requests_active", "smg_worker_cb_state");

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void report168_removedWorkers_leaveNoGauge() throws Exception {
        List<ScriptedWorker> workers = fleet.workers(12, Scripts.completion());
        GatewayFixture gateway =
                fleet.gateway(config -> config.workers.subList(1, 12).clear(), 1);
        for (ScriptedWorker worker : workers.subList(1, 12)) {
            ClientResponse added = gateway.post("/workers", "{\"url\":\"" + worker.url() + "\"}");
            assertThat(added.status()).as("%s", added).isEqualTo(202);
        }
        gateway.awaitReadyWorkers(12);
        assertThat(gateway.scrape().samples("smg_worker_health")).hasSize(12);
        for (int i = 0; i < 24; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        for (JsonNode worker :
                GatewayErrors.json(gateway.get("/workers").text()).path("workers")) {
            if (!worker.path("url").asText().endsWith(":" + workers.get(0).port())) {
                assertThat(gateway.call(delete(worker.path("id").asText())).status())
                        .isEqualTo(202);
            }
        }
        await().atMost(GatewayFixture.SETTLE).untilAsserted(() -> {
            Exposition scrape = gateway.scrape();
            for (String gauge : WORKER_GAUGES) {
                assertThat(scrape.samples(gauge)).as(gauge).hasSize(1);
            }
        });
        assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
    }

    private static byte[] delete(String id) {
        return io.kvgate.server.e2e.kit.RawClient.request("DELETE", "/workers/" + id, "");
    }

    @Test
    void report170_sameWorkerTwice_countsOnce() throws Exception {
        List<ScriptedWorker> workers = fleet.workers(3, Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        for (ScriptedWorker worker : workers) {
            assertThat(gateway.post("/workers", "{\"url\":\"" + worker.url() + "/\"}")
                            .status())
                    .isEqualTo(409);
        }
        Exposition scrape = gateway.scrape();
        assertThat(scrape.sum("smg_worker_health")).isEqualTo(3);
        assertThat(scrape.sum("smg_worker_pool_size")).isEqualTo(3);
    }

    @Test
    void report171_workerGauges_areThereFromTheStart() throws Exception {
        ScriptedWorker down = fleet.worker(Scripts.completion());
        ScriptedWorker up = fleet.worker(Scripts.completion());
        down.crash();
        GatewayFixture gateway = fleet.gatewayNotReady(config -> {}).awaitReadyWorkers(1);
        Exposition scrape = gateway.scrape();
        assertThat(scrape.samples("smg_worker_health")).hasSize(2);
        assertThat(scrape.sum("smg_worker_health")).isEqualTo(1);
        assertThat(scrape.samples("smg_worker_requests_active")).hasSize(2);
        assertThat(up.requestCount()).isZero();
    }

    @Test
    void report173_buckets_reachAnHourAndAMillisecond() throws Exception {
        assertThat(MetricsConfig.DEFAULT.durationBuckets()).contains(0.001, 90.0, 1800.0, 3600.0);
        fleet.worker(Scripts.chat());
        GatewayFixture gateway = fleet.gateway();
        gateway.chat(REQ_S);
        await().atMost(GatewayFixture.SETTLE).untilAsserted(() -> {
            Exposition scrape = gateway.scrape();
            assertThat(scrape.has("smg_router_request_duration_seconds_bucket", "le", "3600.0"))
                    .isTrue();
            for (String fine : List.of("smg_router_ttft_seconds_bucket", "kvgate_request_overhead_seconds_bucket")) {
                assertThat(scrape.has(fine, "le", "0.001")).as(fine).isTrue();
                assertThat(scrape.has(fine, "le", "0.5")).as(fine).isTrue();
            }
        });
    }

    @Test
    void report176_usageInParts_isMerged() throws Exception {
        fleet.worker(Scripts.sse(List.of(
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":30}}\n\n",
                "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":null}\n\n",
                "data: {\"choices\":[],\"usage\":{\"completion_tokens\":4}}\n\n",
                "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}],\"usage\":null}\n\n",
                "data: {\"choices\":[],\"usage\":{\"completion_tokens\":9}}\n\n",
                DONE)));
        GatewayFixture gateway = fleet.gateway();
        gateway.chat(REQ_S);
        await().atMost(GatewayFixture.SETTLE).untilAsserted(() -> {
            assertThat(gateway.scrape().sum("smg_router_tokens_total", "token_type", "input"))
                    .isEqualTo(30);
            assertThat(gateway.scrape().sum("smg_router_tokens_total", "token_type", "output"))
                    .isEqualTo(9);
        });
    }

    /** Text that looks like usage is no usage. */
    @Test
    void report176_usageInsideText_isNotCounted() throws Exception {
        fleet.worker(Scripts.sse(List.of(
                delta("\\\"usage\\\":{\\\"prompt_tokens\\\":77,\\\"completion_tokens\\\":88}"),
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n",
                DONE)));
        GatewayFixture gateway = fleet.gateway();
        gateway.chat(REQ_S);
        await().atMost(GatewayFixture.SETTLE)
                .untilAsserted(() -> assertThat(gateway.scrape().sum("smg_router_tokens_total", "token_type", "output"))
                        .isEqualTo(2));
        assertThat(gateway.scrape().sum("smg_router_tokens_total", "token_type", "input"))
                .isEqualTo(3);
    }

    @Test
    void report177_clientsRequestId_isTheOnlyOne() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.inTurn(Scripts.resetBeforeHead(), Scripts.completion()));
        GatewayFixture gateway = fleet.gateway();
        ClientResponse response = gateway.chat(REQ_N, "X-Request-Id: mine-1");
        assertThat(response.headers().all("x-request-id")).containsExactly("mine-1");
        assertThat(worker.requests()).hasSize(2);
        assertThat(worker.requests()).allMatch(request -> "mine-1".equals(request.header("x-request-id")));
        await().atMost(GatewayFixture.SETTLE)
                .untilAsserted(() -> assertThat(gateway.log().accessLines())
                        .filteredOn(line -> line.contains("mine-1"))
                        .hasSize(1)
                        .first()
                        .asString()
                        .contains("attempts=2"));
    }

    @Test
    void report177_madeRequestId_isTheOnlyOne() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.json(200, "{}", "X-Request-Id: the-engines"));
        GatewayFixture gateway = fleet.gateway();
        ClientResponse response = gateway.chat(REQ_N);
        String id = response.header("x-request-id");
        assertThat(response.headers().all("x-request-id")).hasSize(1);
        assertThat(id).isNotBlank().isNotEqualTo("the-engines");
        assertThat(worker.requests().get(0).headers().all("x-request-id")).containsExactly(id);
        await().atMost(GatewayFixture.SETTLE)
                .untilAsserted(() -> assertThat(gateway.log().accessLines())
                        .filteredOn(line -> line.contains(id))
                        .hasSize(1));
        assertThat(gateway.post("/nowhere", "{}").header("x-request-id")).isNotBlank();
    }

    @Test
    void report178_traceHeaders_passUnchanged() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        String parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        gateway.chat(REQ_N, "traceparent: " + parent, "tracestate: a=1", "baggage: k=v");
        assertThat(worker.requests().get(0).headers().all("traceparent")).containsExactly(parent);
        assertThat(worker.requests().get(0).header("tracestate")).isEqualTo("a=1");
        assertThat(worker.requests().get(0).header("baggage")).isEqualTo("k=v");
    }

    /** What is counted agrees: requests, outcomes, log lines. */
    @Test
    void everyRequest_hasOneOutcomeAndOneLine() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.chat());
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries().noBreaker());
        for (int i = 0; i < 5; i++) {
            gateway.chat(REQ_N);
            gateway.chat(REQ_S);
        }
        worker.script(Scripts.resetBeforeHead());
        for (int i = 0; i < 5; i++) {
            gateway.chat(REQ_S);
        }
        gateway.chat("{");
        await().atMost(GatewayFixture.SETTLE).untilAsserted(() -> {
            Exposition scrape = gateway.scrape();
            assertThat(scrape.sum("kvgate_router_outcomes_total", "outcome", "completed"))
                    .isEqualTo(10);
            assertThat(scrape.sum("kvgate_router_outcomes_total", "outcome", "failed"))
                    .isGreaterThanOrEqualTo(5);
            assertThat(scrape.sum("smg_http_requests_total", "path", "/v1/chat/completions"))
                    .isEqualTo(16);
            assertThat(gateway.log().accessLines())
                    .filteredOn(line -> line.contains("/v1/chat/completions"))
                    .hasSize(16);
        });
    }

    @Test
    void scrape_isAnsweredOnItsOwnPathOnly() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        try (var client = io.kvgate.server.e2e.kit.RawClient.connect(gateway.metricsPort())) {
            assertThat(client.get("/other", "Connection: close").readResponse().status())
                    .isEqualTo(404);
        }
        assertThat(gateway.get("/metrics").status()).isEqualTo(404);
    }
}
