package io.kvgate.server.e2e.streaming;

import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.SSE_3;
import static io.kvgate.server.e2e.kit.Vocabulary.delta;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.ConfigChange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A failure of the worker never looks like a clean end. */
@Timeout(30)
final class StreamFailureTest {
    private static final Duration SOON = Duration.ofSeconds(2);

    @RegisterExtension
    final Fleet fleet = new Fleet();

    /** Reads the error event that must come next, and checks that nothing but the close follows. */
    private static void assertEndsWithError(RawClient client, String code) throws Exception {
        String event = client.readEvent();
        assertThat(event).isNotNull();
        GatewayErrors.assertErrorEvent(event, code);
        assertThat(client.readEvent()).isNull();
        assertThat(client.body().end()).isIn(BodyEnd.COMPLETE, BodyEnd.TRUNCATED);
        assertThat(client.isClosedWithin(SOON)).isTrue();
    }

    @Test
    void report015_resetMidStream_endsWithErrorEventAndNoDone() throws Exception {
        CountDownLatch deltasSeen = new CountDownLatch(1);
        fleet.worker(Scripts.resetMidStream(2, deltasSeen));
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        assertThat(client.readEvent()).isEqualTo(delta("d0"));
        assertThat(client.readEvent()).isEqualTo(delta("d1"));
        deltasSeen.countDown();
        assertEndsWithError(client, "upstream_reset");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(
                                gateway.scrape().sum("kvgate_router_outcomes_total", "cause", "upstream_reset"))
                        .isEqualTo(1));
    }

    @Test
    void report015_finBeforeLastChunk_endsWithErrorEventAndNoDone() throws Exception {
        fleet.worker(exchange ->
                exchange.sseHead().chunk(delta("d0")).chunk(delta("d1")).closeFin());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        assertThat(client.readEvent()).isEqualTo(delta("d0"));
        assertThat(client.readEvent()).isEqualTo(delta("d1"));
        assertEndsWithError(client, "upstream_reset");
    }

    @Test
    void report015_cutInsideAnEvent_errorEventStandsAlone() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        String half = "data: {\"choices\":[{\"del";
        fleet.worker(exchange -> exchange.sseHead().chunk(half).await(seen).closeRst());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        assertThat(new String(client.body().next(), StandardCharsets.UTF_8)).isEqualTo(half);
        seen.countDown();
        String rest = new String(client.body().rest(), StandardCharsets.UTF_8);
        // The half event must not swallow the error: a line end comes between them.
        assertThat(rest).startsWith("\n");
        GatewayErrors.assertErrorEvent(rest.stripLeading(), "upstream_reset");
    }

    @Test
    void report015_resetAfterHead_endsWithErrorEvent() throws Exception {
        CountDownLatch headSeen = new CountDownLatch(1);
        fleet.worker(exchange -> exchange.sseHead().await(headSeen).closeRst());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        assertThat(client.chat(REQ_S).readHead().status()).isEqualTo(200);
        headSeen.countDown();
        assertEndsWithError(client, "upstream_reset");
    }

    @Test
    void report015_resetBeforeHead_isTriedOnAnotherWorker() throws Exception {
        ScriptedWorker broken = fleet.worker(Scripts.resetBeforeHead());
        fleet.worker(Scripts.sse3());
        GatewayFixture gateway = fleet.gateway();
        for (int i = 0; i < 4; i++) {
            assertThat(gateway.chat(REQ_S).text()).isEqualTo(String.join("", SSE_3));
        }
        assertThat(broken.requestCount()).isPositive();
    }

    @Test
    void report015_resetBeforeHeadEverywhere_isAJson502() throws Exception {
        fleet.workers(2, Scripts.resetBeforeHead());
        GatewayFixture gateway = fleet.gateway();
        GatewayErrors.assertError(gateway.chat(REQ_S), 502, "upstream_reset");
        GatewayErrors.assertError(gateway.chat(REQ_N), 502, "upstream_reset");
    }

    @Test
    void report026_bodyShorterThanItsLength_isCutShortAtOnce() throws Exception {
        fleet.worker(exchange -> exchange.head(200, "Content-Type: application/json", "Content-Length: 20")
                .send("{\"a\":\"0123456789\"}\n")
                .closeFin());
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        ClientResponse response = gateway.chat(REQ_N);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.body()).hasSize(19);
        assertThat(response.end()).isIn(BodyEnd.TRUNCATED, BodyEnd.RESET);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(String.join("\n", gateway.log().accessLines())
                                + gateway.log().messages(Level.INFO))
                        .contains("20")
                        .contains("19"));
    }

    @Test
    void report026_bodyLongerThanItsLength_dropsTheConnection() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.inTurn(
                exchange -> exchange.head(200, "Content-Type: application/json", "Content-Length: 20")
                        .send("{\"a\":\"01234567890\"}\n+"),
                Scripts.completion()));
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        RawClient client = gateway.client();
        ClientResponse response = client.chat(REQ_N).readResponse();
        assertThat(response.body()).hasSize(20);
        assertThat(response.end()).isEqualTo(BodyEnd.COMPLETE);
        assertThat(client.chat(REQ_N).readResponse().text()).isEqualTo(COMPLETION);
        assertThat(worker.requests().get(0).connection())
                .isNotEqualTo(worker.requests().get(1).connection());
    }

    @Test
    void report201_lateErrorStatus_arrivesAsThatStatus() throws Exception {
        CountDownLatch decided = new CountDownLatch(1);
        fleet.worker(
                Scripts.slowHead(decided, Scripts.json(429, "{\"error\":{\"message\":\"quota\"}}", "Retry-After: 7")));
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        RawClient client = gateway.client();
        client.chat(REQ_S);
        assertThat(client.isClosedWithin(Duration.ofMillis(300))).isFalse();
        decided.countDown();
        ClientResponse response = client.readResponse();
        assertThat(response.status()).isEqualTo(429);
        assertThat(response.header("content-type")).isEqualTo("application/json");
        assertThat(response.header("retry-after")).isEqualTo("7");
        assertThat(response.text()).isEqualTo("{\"error\":{\"message\":\"quota\"}}");
        assertThat(response.header("x-smg-error-code")).isNull();
    }

    @Test
    void report201_lateReset_arrivesAsA502() throws Exception {
        CountDownLatch decided = new CountDownLatch(1);
        fleet.worker(Scripts.slowHead(decided, Scripts.resetBeforeHead()));
        GatewayFixture gateway = fleet.gateway(ConfigChange::noRetries);
        RawClient client = gateway.client();
        client.chat(REQ_S);
        decided.countDown();
        GatewayErrors.assertError(client.readResponse(), 502, "upstream_reset");
    }

    @Test
    void report201_workersOwnErrorEvent_passesAndCountsAsFailed() throws Exception {
        List<String> events = List.of("data: {\"error\":{\"message\":\"no quota\",\"code\":null}}\n\n");
        fleet.worker(Scripts.sse(events));
        GatewayFixture gateway = fleet.gateway();
        ClientResponse response = gateway.chat(REQ_S);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo(events.get(0));
        assertThat(response.end()).isEqualTo(BodyEnd.COMPLETE);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(gateway.scrape().sum("smg_router_request_errors_total"))
                        .isEqualTo(1));
    }
}
