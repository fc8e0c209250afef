package io.kvgate.server.e2e.retry;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.SSE_3;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.KernelSockets;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.RecordedRequest;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker that fails does not fail the request while another one is there. */
@Timeout(60)
final class RetryTest {
    private static final Duration OFF = Duration.ZERO;

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void report037_hungWorker_delaysOnlyItsOwnRequests() throws Exception {
        ScriptedWorker hung = fleet.worker(Scripts.silent());
        ScriptedWorker healthy = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries()
                .breaker(10, 1, Duration.ofMinutes(1))
                .timeouts(OFF, Duration.ofSeconds(2), OFF, OFF));
        List<Parallel.Timed<ClientResponse>> calls = Parallel.run(100, number -> gateway.chat(REQ_N));
        List<Parallel.Timed<ClientResponse>> good =
                calls.stream().filter(call -> call.value().status() == 200).toList();
        assertThat(good).hasSize(50).allMatch(call -> call.took().compareTo(Duration.ofSeconds(1)) < 0);
        for (Parallel.Timed<ClientResponse> call : calls) {
            if (call.value().status() != 200) {
                assertError(call.value(), 504, "upstream_timeout");
            }
        }
        assertThat(hung.requestCount()).isEqualTo(50);
        assertThat(healthy.requestCount()).isEqualTo(50);

        // Over the threshold: the hung one is out of rotation.
        for (int i = 0; i < 20; i++) {
            assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
        }
        assertThat(hung.requestCount()).isEqualTo(50);
    }

    @Test
    void report037_hungWorkerWithRetries_everyRequestSucceeds() throws Exception {
        fleet.worker(Scripts.silent());
        fleet.worker(Scripts.completion());
        GatewayFixture gateway =
                fleet.gateway(config -> config.attempts(3).timeouts(OFF, Duration.ofMillis(500), OFF, OFF));
        for (Parallel.Timed<ClientResponse> call : Parallel.run(20, number -> gateway.chat(REQ_N))) {
            assertThat(call.value().text()).isEqualTo(COMPLETION);
        }
    }

    @Test
    void report118_refusingWorker_isNotSeenByClients() throws Exception {
        ScriptedWorker refusing = fleet.worker(Scripts.chat());
        fleet.worker(Scripts.chat());
        GatewayFixture gateway = fleet.gateway(config -> config.noProbes());
        refusing.crash();
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            boolean stream = i % 2 == 0;
            Parallel.Timed<ClientResponse> call = Parallel.run(1, number -> gateway.chat(stream ? REQ_S : REQ_N))
                    .get(0);
            assertThat(call.value().text()).isEqualTo(stream ? String.join("", SSE_3) : COMPLETION);
            times.add(call.took());
        }
        Collections.sort(times);
        assertThat(times.get(94)).as("95 of 100").isLessThan(Duration.ofMillis(200));
        assertThat(gateway.scrape().samples("smg_worker_cb_state"))
                .anySatisfy(sample -> assertThat(sample.value()).as("open").isEqualTo(1));
    }

    @Test
    void report058_connectionClose_isNotUsedAgain() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> {
            exchange.json(200, COMPLETION, "Connection: close");
            exchange.pause(Duration.ofMillis(300));
            exchange.closeFin();
        });
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries());
        RawClient client = gateway.client();
        for (int i = 0; i < 5; i++) {
            assertThat(client.chat(REQ_N).readResponse().text()).isEqualTo(COMPLETION);
        }
        assertThat(worker.requests().stream().map(RecordedRequest::connection)).doesNotHaveDuplicates();
        assertThat(gateway.scrape().sum("kvgate_upstream_stale_connections_total"))
                .isZero();
    }

    @Test
    void report058_http10Answer_isNotUsedAgain() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> exchange.send(
                        "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                .pause(Duration.ofMillis(200)));
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries());
        RawClient client = gateway.client();
        for (int i = 0; i < 3; i++) {
            assertThat(client.chat(REQ_N).readResponse().text()).isEqualTo("{}");
        }
        assertThat(worker.requests().stream().map(RecordedRequest::connection)).doesNotHaveDuplicates();
    }

    /** The keep-alive race: the worker closes kept connections; the next request must not fail for it. */
    @Test
    void keptConnection_closedByTheWorker_isReplaced() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries());
        RawClient client = gateway.client();
        for (int i = 0; i < 50; i++) {
            assertThat(client.chat(REQ_N).readResponse().status())
                    .as("request %d", i)
                    .isEqualTo(200);
            worker.resetConnections();
        }
        assertThat(worker.requestCount()).isEqualTo(50);
    }

    @Test
    void report062_retriedAnswers_leaveNoSocketBehind() throws Exception {
        String body = "{\"detail\":\"" + "b".repeat(2_000) + "\"}";
        ScriptedWorker broken = fleet.worker(Scripts.json(503, body)).countOnly();
        fleet.worker(Scripts.completion()).countOnly();
        GatewayFixture gateway = fleet.gateway(config -> config.attempts(3).noBreaker());
        Parallel.run(8, number -> {
            try (RawClient client = RawClient.connect(gateway.port())) {
                for (int i = 0; i < 60; i++) {
                    ClientResponse response = client.chat(REQ_N).readResponse();
                    assertThat(response.text()).isEqualTo(COMPLETION);
                }
            }
            return number;
        });
        assertThat(broken.requestCount()).isPositive();
        await().atMost(GatewayFixture.SETTLE).untilAsserted(() -> {
            assertThat(KernelSockets.count(broken.port(), KernelSockets.CLOSE_WAIT))
                    .isZero();
            assertThat(broken.connectionsOpen()).isLessThanOrEqualTo(16);
        });
        assertThat(broken.connectionsAccepted())
                .as("connections are used again")
                .isLessThan(120);
    }

    @Test
    void report104_engineErrorsOfOneClient_doNotTakeTheFleetOut() throws Exception {
        List<ScriptedWorker> workers = fleet.workers(3, exchange -> {
            boolean tooLong = exchange.request().bodyText().contains("much too long");
            exchange.json(
                    tooLong ? 500 : 200, tooLong ? "{\"message\":\"prompt exceeds the context length\"}" : COMPLETION);
        });
        GatewayFixture gateway = fleet.gateway();
        for (int i = 0; i < 20; i++) {
            ClientResponse bad = gateway.chat(REQ_N.replace("count to three", "much too long"));
            assertThat(bad.status()).isEqualTo(500);
            assertThat(bad.text()).contains("context length");
            assertThat(gateway.chat(REQ_N).status()).as("good request %d", i).isEqualTo(200);
        }
        assertThat(workers.stream().mapToInt(ScriptedWorker::requestCount).sum())
                .isLessThanOrEqualTo(20 + 20 * 5);
    }

    @Test
    void report036_streamBegun_isNotTriedAgain() throws Exception {
        ScriptedWorker first = fleet.worker(Scripts.resetAfterHead());
        ScriptedWorker second = fleet.worker(Scripts.resetAfterHead());
        GatewayFixture gateway = fleet.gateway();
        gateway.chat(REQ_S);
        assertThat(first.requestCount() + second.requestCount()).isEqualTo(1);
    }
}
