package io.kvgate.server.e2e.streaming;

import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.delta;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.kvgate.server.e2e.kit.Exchange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that leaves stops the worker's generation, in every phase. */
@Timeout(30)
final class ClientGoneTest {
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static void leave(RawClient client, boolean reset) throws Exception {
        if (reset) {
            client.closeRst();
        } else {
            client.close();
        }
    }

    private static void assertAborted(GatewayFixture gateway, String phase) {
        await().atMost(GatewayFixture.SETTLE).untilAsserted(() -> {
            assertThat(gateway.scrape()
                            .sum("kvgate_router_outcomes_total", "outcome", "client_aborted", "cause", phase))
                    .isEqualTo(1);
            assertThat(gateway.log().accessLines())
                    .filteredOn(line -> line.contains("client_aborted"))
                    .hasSize(1);
        });
        assertThat(gateway.log().messages(Level.ERROR)).isEmpty();
        // A client that leaves says nothing about the worker.
        assertThat(gateway.log().messages(Level.WARN)).noneMatch(line -> line.contains("breaker"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report019_clientLeavesBeforeTheAnswer_workerSeesTheClose(boolean reset) throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.silent());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_N);
        await().until(() -> worker.running() == 1);
        leave(client, reset);
        Exchange exchange = worker.exchanges().get(0);
        assertThat(exchange.awaitPeerClosed(ONE_SECOND)).isTrue();
        assertAborted(gateway, "head");
        assertThat(worker.requestCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report020_clientLeavesMidStream_workerSeesTheClose(boolean reset) throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> {
            exchange.sseHead();
            for (int i = 0; exchange.pause(Duration.ofMillis(50)); i++) {
                exchange.chunk(delta("e" + i));
            }
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        for (int i = 0; i < 10; i++) {
            assertThat(client.readEvent()).isEqualTo(delta("e" + i));
        }
        leave(client, reset);
        assertThat(worker.exchanges().get(0).awaitPeerClosed(ONE_SECOND)).isTrue();
        assertAborted(gateway, "stream");
    }

    @Test
    void report020_clientLeavesBeforeTheFirstToken_workerSeesTheClose() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> exchange.sseHead().halt());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        client.close();
        assertThat(worker.exchanges().get(0).awaitPeerClosed(ONE_SECOND)).isTrue();
        assertAborted(gateway, "stream");
    }

    /** A client that left while the gateway does not read its own side, because the stream is fast and the client slow. */
    @Test
    void report020_clientLeavesWhileStreamIsHeldBack_workerSeesTheClose() throws Exception {
        String event = delta("x".repeat(8_000));
        ScriptedWorker worker = fleet.worker(exchange -> {
            exchange.sseHead();
            while (exchange.peerClose() == null) {
                exchange.chunk(event);
            }
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.slowClient(16 << 10);
        client.chat(REQ_S).readHead();
        Exchange exchange = worker.exchanges().get(0);
        long[] last = {-1};
        await().pollInterval(Duration.ofMillis(200)).until(() -> {
            long before = last[0];
            last[0] = exchange.bytesWritten();
            return before == last[0];
        });
        client.closeRst();
        assertThat(exchange.awaitPeerClosed(ONE_SECOND)).isTrue();
    }

    /** The gateway's choice: a FIN means that the client left. */
    @Test
    void report051_halfCloseAfterTheRequest_isTakenAsLeaving() throws Exception {
        ScriptedWorker worker = fleet.worker(exchange -> {
            if (exchange.pause(ONE_SECOND)) {
                exchange.json(200, COMPLETION);
            }
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_N);
        await().until(() -> worker.running() == 1);
        client.shutdownOutput();
        assertThat(worker.exchanges().get(0).awaitPeerClosed(ONE_SECOND)).isTrue();
        assertThat(client.isClosedWithin(ONE_SECOND)).isTrue();
    }
}
