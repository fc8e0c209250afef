package io.kvgate.server.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.core.worker.Worker;
import io.kvgate.server.config.PoolConfig;
import io.kvgate.server.upstream.UpstreamFixture.Started;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which connections are used again, and which are not, on real sockets. */
final class ConnectionReuseTest {
    private final UpstreamFixture fixture = new UpstreamFixture();
    private RawWorker raw;
    private Worker worker;

    @BeforeEach
    void startWorker() throws IOException {
        raw = new RawWorker();
        worker = fixture.worker(raw.url());
    }

    @AfterEach
    void close() throws Exception {
        raw.close();
        fixture.close();
    }

    private void assertServesAgain(RawWorker.Peer peer) throws Exception {
        Started next = fixture.call(worker, "next");
        assertThat(peer.readHead()).startsWith("POST");
        assertThat(peer.read(4)).isEqualTo("next");
        peer.write(UpstreamFixture.OK);
        next.told().awaitEnd();
        assertThat(next.told().raw()).isEqualTo("ok");
    }

    private RawWorker.Peer assertNewConnection() throws Exception {
        int before = raw.accepted();
        RawWorker.Peer peer = fixture.exchangeOnNewConnection(raw, worker);
        assertThat(raw.accepted()).isEqualTo(before + 1);
        return peer;
    }

    @Test
    void call_connectionKept_isUsedAgain() throws Exception {
        RawWorker.Peer peer = fixture.exchangeOnNewConnection(raw, worker);
        for (int i = 0; i < 20; i++) {
            assertServesAgain(peer);
        }
        assertThat(raw.accepted()).isEqualTo(1);
        assertThat(fixture.openConnections()).isEqualTo(1);
    }

    @Test
    void call_severalKept_takesTheLastUsed() throws Exception {
        Started first = fixture.call(worker, "");
        RawWorker.Peer firstPeer = raw.accept();
        firstPeer.readHead();
        RawWorker.Peer secondPeer = fixture.exchangeOnNewConnection(raw, worker);
        firstPeer.write(UpstreamFixture.OK);
        first.told().awaitEnd();
        assertServesAgain(firstPeer);
        assertServesAgain(firstPeer);
        Started third = fixture.call(worker, "");
        firstPeer.readHead();
        assertServesAgain(secondPeer);
        firstPeer.write(UpstreamFixture.OK);
        third.told().awaitEnd();
        assertThat(raw.accepted()).isEqualTo(2);
    }

    @Test
    void call_freshWanted_leavesTheKeptOne() throws Exception {
        RawWorker.Peer kept = fixture.exchangeOnNewConnection(raw, worker);
        Started fresh = fixture.call(worker, "", true);
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        peer.write(UpstreamFixture.OK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
        fresh.told().awaitEnd();
        assertServesAgain(kept);
    }

    @Test
    void release_moreThanMaxIdle_closesTheRest() throws Exception {
        RawWorker.Peer[] peers = new RawWorker.Peer[3];
        Started[] calls = new Started[3];
        for (int i = 0; i < 3; i++) {
            calls[i] = fixture.call(worker, "");
            peers[i] = raw.accept();
            peers[i].readHead();
        }
        for (int i = 0; i < 3; i++) {
            peers[i].write(UpstreamFixture.OK);
            calls[i].told().awaitEnd();
        }
        assertThat(peers[2].seesEnd()).isTrue();
        fixture.awaitOpenConnections(2);
    }

    @Test
    void acquire_idleTooLong_isClosedInstead() throws Exception {
        RawWorker.Peer old = fixture.exchangeOnNewConnection(raw, worker);
        fixture.ticker.advanceMillis(3_999);
        assertServesAgain(old);
        fixture.ticker.advanceMillis(4_000);
        assertNewConnection();
        assertThat(old.seesEnd()).isTrue();
    }

    @Test
    void sweep_idleTooLong_isClosedWithoutACall() throws Exception {
        try (UpstreamFixture quick = new UpstreamFixture(new PoolConfig(Duration.ofMillis(200), 2))) {
            Worker own = quick.worker(raw.url());
            RawWorker.Peer peer = quick.exchangeOnNewConnection(raw, own);
            quick.ticker.advanceMillis(200);
            assertThat(peer.seesEnd()).isTrue();
            quick.awaitOpenConnections(0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
                "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok+",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            })
    void onEnd_connectionNotToBeTrusted_isClosed(String response) throws Exception {
        Started call = fixture.call(worker, "");
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        peer.write(response);
        call.told().awaitEnd();
        assertThat(peer.seesEnd()).isTrue();
        assertNewConnection();
    }

    @Test
    void idle_bytesNobodyAskedFor_closeTheConnection() throws Exception {
        RawWorker.Peer peer = fixture.exchangeOnNewConnection(raw, worker);
        peer.write("HTTP/1.1 408 Request Timeout\r\n\r\n");
        assertThat(peer.seesEnd()).isTrue();
        fixture.awaitOpenConnections(0);
        assertNewConnection();
    }

    @Test
    void idle_closedByTheWorker_isForgotten() throws Exception {
        fixture.exchangeOnNewConnection(raw, worker).close();
        fixture.awaitOpenConnections(0);
        assertNewConnection();
    }

    @Test
    void onEnd_answeredBeforeTheBodyWasWritten_isClosed() throws Exception {
        // More than the sockets of both sides hold, so that the write can't be over when the answer comes.
        Started call = fixture.call(worker, "x".repeat(24 << 20));
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        peer.write(UpstreamFixture.OK);
        call.told().awaitEnd();
        assertThat(call.told().raw()).isEqualTo("ok");
        peer.readToEnd();
        fixture.awaitOpenConnections(0);
        assertNewConnection();
    }

    @Test
    void onFailure_keptConnectionClosedWithoutAByte_isStale() throws Exception {
        RawWorker.Peer peer = fixture.exchangeOnNewConnection(raw, worker);
        Started call = fixture.call(worker, "abc");
        peer.readHead();
        peer.close();
        assertThat(call.told().awaitFailure().stale()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"H", "HTTP/1.1 200 OK\r\nCont", "HTTP/1.1 100 Continue\r\n\r\n"})
    void onFailure_keptConnectionClosedAfterSomeByte_isNotStale(String part) throws Exception {
        RawWorker.Peer peer = fixture.exchangeOnNewConnection(raw, worker);
        Started call = fixture.call(worker, "abc");
        peer.readHead();
        peer.read(3);
        peer.write(part);
        peer.close();
        assertThat(call.told().awaitFailure().stale()).isFalse();
    }

    @Test
    void removeWorker_keptAndUsedConnections_areClosed() throws Exception {
        Started call = fixture.call(worker, "");
        RawWorker.Peer used = raw.accept();
        used.readHead();
        RawWorker.Peer kept = fixture.exchangeOnNewConnection(raw, worker);
        fixture.client.removeWorker(worker);
        assertThat(kept.seesEnd()).isTrue();
        call.told().awaitFailure();
        assertThat(used.seesEnd()).isTrue();
        fixture.awaitOpenConnections(0);
    }

    @Test
    void call_bodyInMoreSlicesThanOneWriteTakes_arrivesInOrderAndTheConnectionIsKept() throws Exception {
        String body = "0123456789".repeat(300);
        Started call = fixture.callInSlices(worker, body);
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        assertThat(peer.read(body.length())).isEqualTo(body);
        peer.write(UpstreamFixture.OK);
        call.told().awaitEnd();
        assertThat(fixture.idleConnections(worker)).isEqualTo(1);
    }

    @Test
    void shutDown_callUnderWay_failsIt() throws Exception {
        Started call = fixture.call(worker, "");
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        fixture.client.shutDown();
        call.told().awaitFailure();
        assertThat(peer.seesEnd()).isTrue();
    }

    @Test
    void cancel_waitingForTheHead_closesTheSocket() throws Exception {
        Started call = fixture.call(worker, "");
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        fixture.onLoop(call.call()::cancel);
        assertThat(peer.seesEnd()).isTrue();
        fixture.awaitOpenConnections(0);
        assertThat(call.told().toldFailure()).isFalse();
    }

    @Test
    void cancel_insideTheBody_closesTheSocketAndTellsNothingMore() throws Exception {
        Started call = fixture.call(worker, "");
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin");
        call.told().awaitHead();
        fixture.onLoop(call.call()::cancel);
        assertThat(peer.seesEnd()).isTrue();
        fixture.awaitOpenConnections(0);
        assertThat(call.told().toldFailure()).isFalse();
        assertThat(call.told().toldEnd()).isFalse();
    }

    @Test
    void cancel_whileConnecting_releasesTheRequest() throws Exception {
        Started call = fixture.onLoop(() -> {
            Started started = fixture.callOnLoop(worker, "abc");
            started.call().cancel();
            return started;
        });
        fixture.awaitOpenConnections(0);
        assertThat(call.told().toldFailure()).isFalse();
    }

    @Test
    void discard_shortRest_keepsTheConnection() throws Exception {
        Started call = fixture.call(worker, "");
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        peer.write("HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\n12345");
        call.told().awaitHead();
        fixture.onLoop(call.call()::discard);
        peer.write("67890");
        await().atMost(Duration.ofSeconds(10)).until(() -> fixture.idleConnections(worker) == 1);
        assertServesAgain(peer);
        assertThat(call.told().toldEnd()).isFalse();
        assertThat(raw.accepted()).isEqualTo(1);
    }

    @Test
    void discard_longRest_dropsTheConnection() throws Exception {
        Started call = fixture.call(worker, "");
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        peer.write("HTTP/1.1 503 Busy\r\nContent-Length: 1000000\r\n\r\n");
        call.told().awaitHead();
        fixture.onLoop(call.call()::discard);
        peer.write("x".repeat(70_000));
        assertThat(peer.seesEnd()).isTrue();
        fixture.awaitOpenConnections(0);
        assertThat(call.told().rawBytes()).isZero();
    }

    @Test
    void reading_off_holdsABoundedAmountUntilOn() throws Exception {
        Started call = fixture.call(worker, "");
        call.told().watch(event -> {
            if (event.equals("head")) {
                call.call().reading(false);
            }
        });
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        int length = 24 << 20;
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
        call.told().awaitHead();
        Thread writer = new Thread(() -> {
            try {
                peer.write("x".repeat(length));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.start();
        // Blocked: the gateway's and the kernel's buffers are full.
        await().atMost(Duration.ofSeconds(10)).until(() -> fixture.settled(call.told()));
        assertThat(call.told().rawBytes()).isLessThanOrEqualTo(2 << 20);
        fixture.onLoop(() -> call.call().reading(true));
        call.told().awaitEnd();
        writer.join(10_000);
        assertThat(call.told().rawBytes()).isEqualTo(length);
    }
}
