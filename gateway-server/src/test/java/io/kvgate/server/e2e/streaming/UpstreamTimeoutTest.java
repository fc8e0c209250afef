package io.kvgate.server.e2e.streaming;

import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.delta;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.server.config.TimeoutConfig;
import io.kvgate.server.e2e.kit.BlackHole;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits of time: long enough by default, each a setting of its own, each failure told apart. */
@Timeout(30)
final class UpstreamTimeoutTest {
    private static final Duration OFF = Duration.ZERO;
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final Duration LONG = Duration.ofMinutes(30);

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void report035_longSilentAnswer_isWaitedForByDefault() throws Exception {
        TimeoutConfig defaults = TimeoutConfig.DEFAULT;
        assertThat(defaults.head()).isGreaterThanOrEqualTo(LONG);
        assertThat(defaults.total()).isGreaterThanOrEqualTo(LONG);

        // The limit for idle client connections does not count while a request is under way.
        fleet.worker(exchange -> {
            exchange.pause(SHORT.multipliedBy(4));
            exchange.json(200, COMPLETION);
        });
        GatewayFixture gateway = fleet.gateway(config -> config.idleTimeout(SHORT));
        assertThat(gateway.chat(REQ_N).text()).isEqualTo(COMPLETION);
    }

    @Test
    void report036_lateHeads_areWaitedForWithoutHiddenRetries() throws Exception {
        CountDownLatch decided = new CountDownLatch(1);
        ScriptedWorker worker = fleet.worker(Scripts.slowHead(decided, Scripts.sse3()));
        GatewayFixture gateway = fleet.gateway(config -> config.idleTimeout(SHORT));
        List<Future<Parallel.Timed<ClientResponse>>> calls = Parallel.start(20, number -> gateway.chat(REQ_S));
        await().until(() -> worker.running() == 20);
        assertThat(worker.exchanges().get(0).awaitPeerClosed(SHORT.multipliedBy(3)))
                .isFalse();
        decided.countDown();
        for (Future<Parallel.Timed<ClientResponse>> call : calls) {
            assertThat(call.get().value().status()).isEqualTo(200);
        }
        assertThat(worker.requestCount()).isEqualTo(20);
    }

    @Test
    void report038_connectTimeout_isA504OfItsOwn() throws Exception {
        BlackHole hole = fleet.owns(BlackHole.open());
        GatewayFixture gateway = fleet.gatewayNotReady(config -> {
                    config.workers.add(WorkerSpec.of(hole.url()));
                    config.noProbes().noRetries().timeouts(SHORT, OFF, OFF, OFF);
                })
                .awaitReady();
        GatewayErrors.assertError(gateway.chat(REQ_N), 504, "upstream_connect_timeout");
        assertLabel(gateway, "upstream_connect_timeout");
    }

    @Test
    void report038_silence_isA504OfItsOwn() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.silent());
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries().timeouts(OFF, SHORT, OFF, OFF));
        GatewayErrors.assertError(gateway.chat(REQ_N), 504, "upstream_timeout");
        assertThat(worker.exchanges().get(0).awaitPeerClosed(Duration.ofSeconds(1)))
                .isTrue();
        assertLabel(gateway, "upstream_timeout");
    }

    @Test
    void report038_refusedPort_isA502OfItsOwn() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries().noProbes());
        worker.crash();
        GatewayErrors.assertError(gateway.chat(REQ_N), 502, "upstream_connect_error");
        assertLabel(gateway, "upstream_connect_error");
    }

    @Test
    void report038_resetBeforeHead_isA502OfItsOwn() throws Exception {
        fleet.worker(Scripts.resetBeforeHead());
        GatewayFixture gateway = fleet.gateway(config -> config.noRetries());
        GatewayErrors.assertError(gateway.chat(REQ_N), 502, "upstream_reset");
        assertLabel(gateway, "upstream_reset");
    }

    private static void assertLabel(GatewayFixture gateway, String code) {
        await().atMost(GatewayFixture.SETTLE)
                .untilAsserted(() -> assertThat(
                                gateway.scrape().sum("smg_router_upstream_responses_total", "error_code", code))
                        .isEqualTo(1));
    }

    @Test
    void report039_headLimit_canBeTurnedOff() throws Exception {
        fleet.worker(exchange -> {
            exchange.pause(SHORT.multipliedBy(2));
            exchange.json(200, COMPLETION);
        });
        GatewayFixture limited = fleet.gateway(config -> config.noRetries().timeouts(OFF, SHORT, OFF, OFF));
        GatewayErrors.assertError(limited.chat(REQ_N), 504, "upstream_timeout");
        GatewayFixture unlimited = fleet.gateway(config -> config.noRetries().timeouts(OFF, OFF, OFF, OFF));
        assertThat(unlimited.chat(REQ_N).status()).isEqualTo(200);
    }

    @Test
    void report039_streamThatFallsSilent_endsWithErrorEvent() throws Exception {
        ScriptedWorker worker =
                fleet.worker(exchange -> exchange.sseHead().chunk(delta("one")).halt());
        GatewayFixture gateway = fleet.gateway(config -> config.timeouts(OFF, OFF, SHORT, OFF));
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        assertThat(client.readEvent()).isEqualTo(delta("one"));
        GatewayErrors.assertErrorEvent(client.readEvent(), "upstream_idle_timeout");
        assertThat(client.readEvent()).isNull();
        assertThat(worker.exchanges().get(0).awaitPeerClosed(Duration.ofSeconds(1)))
                .isTrue();
    }

    @Test
    void report039_totalLimit_cutsAStreamThatGoesOn() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> {
            exchange.sseHead();
            while (exchange.pause(Duration.ofMillis(50))) {
                exchange.chunk(delta("x"));
            }
        });
        GatewayFixture gateway = fleet.gateway(config -> config.timeouts(OFF, OFF, OFF, SHORT));
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        String event = client.readEvent();
        String last = event;
        while (event != null) {
            last = event;
            event = client.readEvent();
        }
        GatewayErrors.assertErrorEvent(last, "upstream_timeout");
        assertThat(worker.exchanges().get(0).awaitPeerClosed(Duration.ofSeconds(1)))
                .isTrue();
    }
}
