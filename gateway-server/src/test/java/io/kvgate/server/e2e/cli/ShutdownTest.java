package io.kvgate.server.e2e.cli;

import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.SSE_3;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.config.ShutdownConfig;
import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How the gateway ends: it says so first, finishes what runs, and cuts what takes too long. */
@Timeout(60)
final class ShutdownTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static Future<Parallel.Timed<String>> closing(GatewayFixture gateway) {
        return Parallel.start(1, number -> {
                    gateway.shutDown();
                    return "closed";
                })
                .get(0);
    }

    @Test
    void report192_keepAliveClientDuringTheDrain_isToldToCloseAndLosesNothing() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(
                config -> config.shutdown = new ShutdownConfig(Duration.ofSeconds(2), Duration.ofSeconds(3)));
        fleet.endsBusy();
        RawClient client = gateway.client();
        assertThat(client.chat(REQ_N).readResponse().header("connection")).isNotEqualTo("close");
        RawClient idle = gateway.client();
        assertThat(idle.chat(REQ_N).readResponse().status()).isEqualTo(200);
        Future<Parallel.Timed<String>> close = closing(gateway);
        await().until(() -> gateway.get("/readiness").status() == 503);
        assertThat(gateway.get("/liveness").status()).isEqualTo(200);

        ClientResponse during = client.chat(REQ_N).readResponse();
        assertThat(during.text()).isEqualTo(COMPLETION);
        assertThat(during.header("connection")).isEqualTo("close");
        assertThat(client.isClosedWithin(Duration.ofSeconds(1))).isTrue();
        assertThat(idle.isClosedWithin(Duration.ofSeconds(5))).isTrue();
        assertThat(close.get().value()).isEqualTo("closed");
    }

    @Test
    void runningStream_finishesWithinTheGrace() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        fleet.worker(Scripts.heldStream(release));
        GatewayFixture gateway =
                fleet.gateway(config -> config.shutdown = new ShutdownConfig(Duration.ZERO, Duration.ofSeconds(20)));
        fleet.endsBusy();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        client.readEvent();
        Future<Parallel.Timed<String>> close = closing(gateway);
        await().until(() -> {
            try (RawClient probe = RawClient.connect(gateway.port())) {
                return probe.get("/liveness").isClosedWithin(Duration.ofMillis(500));
            } catch (java.net.ConnectException e) {
                return true;
            }
        });
        assertThat(close.isDone()).isFalse();
        release.countDown();
        assertThat(new String(client.body().rest(), StandardCharsets.UTF_8))
                .isEqualTo(String.join("", SSE_3.subList(1, SSE_3.size())));
        assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
        assertThat(close.get().value()).isEqualTo("closed");
    }

    @Test
    void streamBeyondTheGrace_endsWithErrorEvent() throws Exception {
        ScriptedWorker worker =
                fleet.worker(exchange -> exchange.sseHead().chunk(SSE_3.get(0)).halt());
        GatewayFixture gateway =
                fleet.gateway(config -> config.shutdown = new ShutdownConfig(Duration.ZERO, Duration.ofMillis(500)));
        fleet.endsBusy();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        assertThat(client.readEvent()).isEqualTo(SSE_3.get(0));
        Future<Parallel.Timed<String>> close = closing(gateway);
        assertThat(client.readEvent()).contains("shutting_down");
        assertThat(client.readEvent()).isNull();
        assertThat(worker.exchanges().get(0).awaitPeerClosed(Duration.ofSeconds(2)))
                .isTrue();
        assertThat(close.get().took()).isLessThan(Duration.ofSeconds(10));
        assertThat(List.copyOf(gateway.log().accessLines()))
                .filteredOn(line -> line.contains("shutting_down"))
                .hasSize(1);
    }
}
