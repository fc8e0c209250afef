package io.kvgate.server.e2e.health;

import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that are added, changed, drained and removed while requests run. */
@Timeout(60)
final class WorkersApiTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static ClientResponse call(GatewayFixture gateway, String method, String path, String body)
            throws Exception {
        return gateway.call(RawClient.request(method, path, body));
    }

    private static String idOf(GatewayFixture gateway, ScriptedWorker worker) throws Exception {
        for (JsonNode node : GatewayErrors.json(gateway.get("/workers").text()).path("workers")) {
            if (node.path("url").asText().equals(worker.url().toString())) {
                return node.path("id").asText();
            }
        }
        throw new AssertionError("not listed: " + worker.url());
    }

    @Test
    void report117_addGetChangeRemove_areSeenAtOnce() throws Exception {
        ScriptedWorker first = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        ScriptedWorker second = fleet.worker(Scripts.completion());
        ClientResponse added = gateway.post("/workers", "{\"url\":\"" + second.url() + "\",\"priority\":7}");
        assertThat(added.status()).isEqualTo(202);
        String id = GatewayErrors.json(added.text()).path("worker_id").asText();
        assertThat(added.header("location")).isEqualTo("/workers/" + id);
        gateway.awaitReadyWorkers(2);
        JsonNode shown = GatewayErrors.json(gateway.get("/workers/" + id).text());
        assertThat(shown.path("id").asText()).isEqualTo(id);
        assertThat(shown.path("priority").asInt()).isEqualTo(7);

        assertThat(call(gateway, "PUT", "/workers/" + id, "{\"priority\":9,\"labels\":{\"zone\":\"b\"}}")
                        .status())
                .isEqualTo(202);
        shown = GatewayErrors.json(gateway.get("/workers/" + id).text());
        assertThat(shown.path("priority").asInt()).isEqualTo(9);
        assertThat(shown.toString()).contains("\"zone\":\"b\"");

        assertThat(call(gateway, "DELETE", "/workers/" + id, "").status()).isEqualTo(202);
        await().atMost(GatewayFixture.SETTLE)
                .until(() -> gateway.get("/workers/" + id).status() == 404);
        assertThat(call(gateway, "DELETE", "/workers/" + id, "").status()).isEqualTo(404);
        int before = second.requestCount();
        for (int i = 0; i < 6; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        assertThat(second.requestCount()).isEqualTo(before);
        assertThat(first.requestCount()).isPositive();
    }

    @Test
    void report117_sameWorkerAgain_is409WithItsId() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        String id = idOf(gateway, worker);
        for (String url : List.of(worker.url().toString(), worker.url() + "/", worker.authority())) {
            ClientResponse again = gateway.post("/workers", "{\"url\":\"" + url + "\"}");
            assertThat(again.status()).as("%s: %s", url, again).isEqualTo(409);
            assertThat(again.text()).contains(id);
        }
        assertThat(GatewayErrors.json(gateway.get("/workers").text())
                        .path("total")
                        .asInt())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"url\":\"http://\"}",
                "{\"url\":\"ftp://a:1\"}",
                "{\"url\":5}",
                "{\"url\":\"\"}",
                "{",
                "[]"
            })
    void report117_badWorker_is400AndLeavesNothing(String body) throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        ClientResponse response = gateway.post("/workers", body);
        assertThat(response.status()).as("%s", response).isEqualTo(400);
        assertThat(GatewayErrors.json(gateway.get("/workers").text())
                        .path("total")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void report117_badId_is400AndUnknownIs404() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        assertThat(gateway.get("/workers/nonsense").status()).isEqualTo(400);
        assertThat(gateway.get("/workers/00000000-0000-4000-8000-000000000000").status())
                .isEqualTo(404);
    }

    @Test
    void removedWorker_finishesItsStreamsAndGetsNoMore() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker draining = fleet.worker(Scripts.heldStream(release));
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        String id = idOf(gateway, draining);
        assertThat(call(gateway, "DELETE", "/workers/" + id, "").status()).isEqualTo(202);
        assertThat(gateway.chat(REQ_N).status()).isEqualTo(503);
        assertThat(draining.exchanges().get(0).awaitPeerClosed(Duration.ofMillis(300)))
                .isFalse();
        release.countDown();
        client.body().rest();
        assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
        await().atMost(GatewayFixture.SETTLE)
                .until(() -> gateway.get("/workers/" + id).status() == 404);
        assertThat(draining.requestCount()).isEqualTo(1);
    }

    @Test
    void workerRemovedByForce_cutsItsStreams() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        ScriptedWorker cut = fleet.worker(Scripts.heldStream(never));
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        client.readEvent();
        String id = idOf(gateway, cut);
        assertThat(call(gateway, "DELETE", "/workers/" + id + "?force=true", "").status())
                .isEqualTo(202);
        assertThat(cut.exchanges().get(0).awaitPeerClosed(Duration.ofSeconds(1)))
                .isTrue();
        assertThat(client.readEvent()).startsWith("data: {\"error\"");
        assertThat(client.readEvent()).isNull();
        never.countDown();
    }

    /** Old completions do not touch the counts of a worker that came again. */
    @Test
    void report082_removedAndAddedAgain_countsStartAtZero() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.heldStream(release));
        ScriptedWorker other = fleet.worker(Scripts.completion());
        ScriptedWorker third = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("least_load"));
        String otherId = idOf(gateway, other);
        String thirdId = idOf(gateway, third);
        call(gateway, "DELETE", "/workers/" + otherId, "");
        call(gateway, "DELETE", "/workers/" + thirdId, "");
        gateway.awaitReadyWorkers(1);
        RawClient[] clients = new RawClient[5];
        for (int i = 0; i < 5; i++) {
            clients[i] = gateway.client();
            clients[i].chat(REQ_S).readHead();
        }
        String id = idOf(gateway, worker);
        assertThat(call(gateway, "DELETE", "/workers/" + id + "?force=true", "").status())
                .isEqualTo(202);
        for (ScriptedWorker again : List.of(worker, other, third)) {
            assertThat(gateway.post("/workers", "{\"url\":\"" + again.url() + "\"}")
                            .status())
                    .isEqualTo(202);
        }
        release.countDown();
        gateway.awaitReadyWorkers(3);
        for (RawClient client : clients) {
            client.body().rest();
        }
        worker.script(Scripts.completion());
        int before = worker.requestCount();
        for (int i = 0; i < 90; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        assertThat(gateway.scrape().samples("smg_worker_requests_active"))
                .allSatisfy(sample -> assertThat(sample.value()).isZero());
        assertThat(worker.requestCount() - before).isBetween(15, 45);
        assertThat(other.requestCount()).isBetween(15, 45);
    }
}
