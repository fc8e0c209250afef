package io.kvgate.server.e2e.streaming;

import static io.kvgate.server.e2e.kit.Vocabulary.DONE;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_S;
import static io.kvgate.server.e2e.kit.Vocabulary.delta;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.time.Ticker;
import io.kvgate.server.e2e.kit.BodyEnd;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ResponseHead;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a worker sends reaches the client when it is sent, not when more comes. */
@Timeout(30)
final class StreamTimingTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    /** The worker sends an event only after the client has the one before, so a gateway that holds one back stands still. */
    @Test
    void report010_eachEvent_arrivesBeforeTheNextIsSent() throws Exception {
        int events = 20;
        Semaphore received = new Semaphore(0);
        long[] sentNanos = new long[events];
        fleet.worker(exchange -> {
            exchange.sseHead();
            for (int i = 0; i < events; i++) {
                sentNanos[i] = Ticker.system().nanos();
                exchange.chunk(delta("t" + i));
                if (!received.tryAcquire(10, TimeUnit.SECONDS)) {
                    throw new IllegalStateException("event " + i + " did not arrive");
                }
            }
            exchange.chunk(DONE).lastChunk();
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        ResponseHead head = client.chat(REQ_S).readHead();
        assertThat(head.headers().all("transfer-encoding")).containsExactly("chunked");
        assertThat(head.header("content-length")).isNull();
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            assertThat(client.readEvent()).isEqualTo(delta("t" + i));
            delays.add(Ticker.system().nanos() - sentNanos[i]);
            received.release();
        }
        assertThat(client.readEvent()).isEqualTo(DONE);
        assertThat(client.readEvent()).isNull();
        assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
        Collections.sort(delays);
        assertThat(delays.get(events / 2))
                .as("median delay in ns")
                .isLessThan(Duration.ofMillis(20).toNanos());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 8191, 8192, 8193})
    void report011_newestEvent_isNotHeldBackBySilence(int size) throws Exception {
        CountDownLatch thirdSeen = new CountDownLatch(1);
        String piece = "z".repeat(size);
        fleet.worker(exchange -> {
            exchange.sseHead();
            for (int i = 0; i < 3; i++) {
                exchange.chunk(piece);
            }
            exchange.await(thirdSeen).chunk(piece).lastChunk();
        });
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        client.chat(REQ_S).readHead();
        int got = 0;
        while (got < 3 * size) {
            got += client.body().next().length;
        }
        thirdSeen.countDown();
        got += client.body().rest().length;
        assertThat(got).isEqualTo(4 * size);
        assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
    }

    @Test
    void report010_head_arrivesBeforeTheFirstEvent() throws Exception {
        CountDownLatch headSeen = new CountDownLatch(1);
        fleet.worker(exchange -> exchange.sseHead()
                .await(headSeen)
                .chunk(delta("one"))
                .chunk(DONE)
                .lastChunk());
        GatewayFixture gateway = fleet.gateway();
        RawClient client = gateway.client();
        assertThat(client.chat(REQ_S).readHead().status()).isEqualTo(200);
        headSeen.countDown();
        assertThat(new String(client.body().rest(), StandardCharsets.UTF_8)).isEqualTo(delta("one") + DONE);
    }

    @Test
    void report007_gapsBetweenEvents_areNotFilled() throws Exception {
        List<String> events = List.of("id: 7\n" + delta("one"), "retry: 100\n\n", "id: 8\n" + delta("two"), DONE);
        fleet.worker(exchange -> {
            exchange.sseHead();
            for (String event : events) {
                exchange.chunk(event).pause(Duration.ofMillis(700));
            }
            exchange.lastChunk();
        });
        GatewayFixture gateway = fleet.gateway();
        assertThat(gateway.chat(REQ_S).text()).isEqualTo(String.join("", events));
    }
}
