package io.kvgate.server.e2e.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The kit itself: client and worker without a gateway between them. */
@Timeout(30)
final class KitTest {
    private static final Duration SOON = Duration.ofSeconds(5);

    @Test
    void probes_areAnsweredAndNotCounted() throws Exception {
        try (ScriptedWorker worker = ScriptedWorker.start(Scripts.completion());
                RawClient client = RawClient.connect(worker.port())) {
            assertThat(client.get("/health").readResponse().status()).isEqualTo(200);
            assertThat(client.get("/v1/models").readResponse().text()).contains("\"tiny-1\"");
            assertThat(client.get("/server_info").readResponse().status()).isEqualTo(404);
            assertThat(client.chat(Vocabulary.REQ_N).readResponse().text()).isEqualTo(Vocabulary.COMPLETION);
            assertThat(worker.requestCount()).isEqualTo(1);
            assertThat(worker.probes()).hasSize(3);
            assertThat(worker.connectionsAccepted()).isEqualTo(1);
            assertThat(worker.requests().get(0).bodyText()).isEqualTo(Vocabulary.REQ_N);
        }
    }

    @Test
    void stream_whole_endsComplete() throws Exception {
        try (ScriptedWorker worker = ScriptedWorker.start(Scripts.sse3());
                RawClient client = RawClient.connect(worker.port())) {
            client.chat(Vocabulary.REQ_S).readHead();
            for (String event : Vocabulary.SSE_3) {
                assertThat(client.readEvent()).isEqualTo(event);
            }
            assertThat(client.readEvent()).isNull();
            assertThat(client.body().end()).isEqualTo(BodyEnd.COMPLETE);
        }
    }

    @Test
    void stream_reset_endsReset() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        try (ScriptedWorker worker = ScriptedWorker.start(Scripts.resetMidStream(2, latch));
                RawClient client = RawClient.connect(worker.port())) {
            client.chat(Vocabulary.REQ_S).readHead();
            client.readEvent();
            client.readEvent();
            latch.countDown();
            assertThat(client.readEvent()).isNull();
            assertThat(client.body().end()).isEqualTo(BodyEnd.RESET);
        }
    }

    @Test
    void stream_finBeforeLastChunk_endsTruncated() throws Exception {
        Script script = exchange -> exchange.sseHead().chunk("data: 1\n\n").closeFin();
        try (ScriptedWorker worker = ScriptedWorker.start(script);
                RawClient client = RawClient.connect(worker.port())) {
            ClientResponse response = client.chat(Vocabulary.REQ_S).readResponse();
            assertThat(response.text()).isEqualTo("data: 1\n\n");
            assertThat(response.end()).isEqualTo(BodyEnd.TRUNCATED);
        }
    }

    @Test
    void stream_badChunkSize_endsMalformed() throws Exception {
        Script script = exchange -> exchange.sseHead().send("zz\r\n");
        try (ScriptedWorker worker = ScriptedWorker.start(script);
                RawClient client = RawClient.connect(worker.port())) {
            assertThat(client.chat(Vocabulary.REQ_S).readResponse().end()).isEqualTo(BodyEnd.MALFORMED);
        }
    }

    @Test
    void peer_thatLeaves_isNoticedWhileTheScriptKeepsStill() throws Exception {
        try (ScriptedWorker worker = ScriptedWorker.start(Scripts.silent())) {
            try (RawClient client = RawClient.connect(worker.port())) {
                client.chat(Vocabulary.REQ_N);
                org.awaitility.Awaitility.await().until(() -> worker.running() == 1);
            }
            Exchange exchange = worker.exchanges().get(0);
            assertThat(exchange.awaitPeerClosed(SOON)).isTrue();
            assertThat(exchange.peerClose()).isEqualTo(Exchange.PeerClose.FIN);
            assertThat(exchange.awaitDone(SOON)).isTrue();
        }
    }

    @Test
    void peer_thatResets_isTold() throws Exception {
        try (ScriptedWorker worker = ScriptedWorker.start(Scripts.silent());
                RawClient client = RawClient.connect(worker.port())) {
            client.chat(Vocabulary.REQ_N);
            org.awaitility.Awaitility.await().until(() -> worker.running() == 1);
            client.closeRst();
            assertThat(worker.exchanges().get(0).awaitPeerClosed(SOON)).isTrue();
            assertThat(worker.exchanges().get(0).peerClose()).isEqualTo(Exchange.PeerClose.RST);
        }
    }

    @Test
    void worker_thatCrashed_refusesAndComesBack() throws Exception {
        try (ScriptedWorker worker = ScriptedWorker.start(Scripts.completion())) {
            worker.crash();
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> RawClient.connect(worker.port()))
                    .isInstanceOf(java.net.ConnectException.class);
            worker.listenAgain();
            try (RawClient client = RawClient.connect(worker.port())) {
                assertThat(client.get("/health").readResponse().status()).isEqualTo(200);
            }
            assertThat(worker.failures()).isEmpty();
        }
    }

    @Test
    void requestBody_chunked_isRecordedWhole() throws Exception {
        try (ScriptedWorker worker = ScriptedWorker.start(Scripts.completion());
                RawClient client = RawClient.connect(worker.port())) {
            client.send(
                    "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(worker.requests().get(0).bodyText()).isEqualTo("abcde");
            assertThat(worker.requests().get(0).bodyBytes()).isEqualTo(5);
        }
    }

    @Test
    void exposition_labels_areParsed() {
        Exposition scrape = new Exposition("# HELP a b\na_total{x=\"1\",y=\"q\\\"}\",} 2.0\na_total{x=\"2\"} 3\nb 1\n");
        assertThat(scrape.sum("a_total")).isEqualTo(5);
        assertThat(scrape.sum("a_total", "x", "1")).isEqualTo(2);
        assertThat(scrape.has("c")).isFalse();
    }
}
