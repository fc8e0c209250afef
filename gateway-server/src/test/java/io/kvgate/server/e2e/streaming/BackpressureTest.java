package io.kvgate.server.e2e.streaming;

import static io.kvgate.server.e2e.kit.Vocabulary.DONE;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.delta;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.Exchange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.netty.util.internal.PlatformDependent;
import java.security.MessageDigest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that stops reading holds back the worker, not the gateway's memory. */
@Timeout(60)
final class BackpressureTest {
    private static final int EVENTS = 30_000;

    @RegisterExtension
    final Fleet fleet = new Fleet();

    @Test
    void report017_clientPausesInALargeStream_nothingIsLostAndLittleIsHeld() throws Exception {
        byte[] event = delta("v".repeat(1_380)).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        MessageDigest sent = MessageDigest.getInstance("SHA-256");
        ScriptedWorker worker = fleet.worker(exchange -> {
            exchange.sseHead();
            for (int i = 0; i < EVENTS; i++) {
                sent.update(event);
                exchange.chunk(event);
            }
            sent.update(DONE.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            exchange.chunk(DONE).lastChunk();
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.slowClient(64 << 10);
        long directBefore = PlatformDependent.usedDirectMemory();
        client.chat(REQ_S).readHead();
        MessageDigest got = MessageDigest.getInstance("SHA-256");
        long total = 0;
        while (total < 2 << 20) {
            byte[] piece = client.body().next();
            got.update(piece);
            total += piece.length;
        }
        Exchange exchange = worker.exchanges().get(0);
        long[] last = {-1};
        await().pollInterval(Duration.ofMillis(500))
                .atMost(Duration.ofSeconds(10))
                .until(() -> {
                    long before = last[0];
                    last[0] = exchange.bytesWritten();
                    return before == last[0];
                });
        // Kernel buffers on both hops take some; the rest waits at the worker.
        assertThat(exchange.bytesWritten()).isLessThan((long) EVENTS * event.length * 2 / 3);
        assertThat(PlatformDependent.usedDirectMemory() - directBefore).isLessThan(16 << 20);

        for (byte[] piece = client.body().next();
                piece != null;
                piece = client.body().next()) {
            got.update(piece);
            total += piece.length;
        }
        assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
        assertThat(total).isEqualTo((long) EVENTS * event.length + DONE.length());
        assertThat(exchange.awaitDone(Duration.ofSeconds(2))).isTrue();
        assertThat(got.digest()).isEqualTo(sent.digest());
    }
}
