package io.kvgate.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.server.monitor.WorkerHttp.Call;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerHttpTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private final Fleet fleet = new Fleet();

    @AfterEach
    void close() {
        fleet.close();
    }

    private WorkerReply ask(URI url, Call call) throws Exception {
        return fleet.http.send(url, null, call).get(30, TimeUnit.SECONDS);
    }

    @Test
    void get_workerWithKey_sendsKeyAndNoFraming() throws Exception {
        StubEngine engine = fleet.engine().on("/v1/models", 200, "{}");

        WorkerReply reply = fleet.http
                .send(fleet.pending(engine.url(), "w-key"), Call.get("/v1/models", LONG))
                .get(30, TimeUnit.SECONDS);

        assertThat(reply.ok()).isTrue();
        assertThat(reply.contentType()).isEqualTo("application/json");
        assertThat(engine.seen()).containsExactly(new StubEngine.Seen("GET", "/v1/models", "Bearer w-key", "", false));
    }

    @Test
    void post_basePath_joinsAndSendsBody() throws Exception {
        StubEngine engine = fleet.engine().on("/base/flush_cache", 202, "done");

        WorkerReply reply = ask(
                URI.create(engine.url() + "/base"),
                Call.post("/flush_cache", "{}".getBytes(StandardCharsets.UTF_8), LONG));

        assertThat(reply.status()).isEqualTo(202);
        assertThat(new String(reply.body(), StandardCharsets.UTF_8)).isEqualTo("done");
        assertThat(engine.seen()).containsExactly(new StubEngine.Seen("POST", "/base/flush_cache", null, "{}", true));
    }

    @Test
    void send_redirect_isNotFollowed() throws Exception {
        StubEngine engine = fleet.engine().on("/health", 302, "");

        assertThat(ask(engine.url(), Call.get("/health", LONG)).status()).isEqualTo(302);
    }

    @Test
    void send_refused_saysSoWithoutAddress() throws Exception {
        URI dead = Fleet.deadUrl();

        WorkerReply reply = ask(dead, Call.get("/health", LONG));

        assertThat(reply.answered()).isFalse();
        assertThat(reply.failureCode()).isEqualTo(ErrorCode.UPSTREAM_CONNECT_ERROR);
        assertThat(reply.detail()).contains("refused").doesNotContain("127.0.0.1", "" + dead.getPort());
    }

    @Test
    void send_silentEngine_timesOut() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        StubEngine engine = fleet.engine().onGated("/health", "{}", never);

        WorkerReply reply = ask(engine.url(), Call.get("/health", Duration.ofMillis(50)));

        assertThat(reply.failureCode()).isEqualTo(ErrorCode.UPSTREAM_TIMEOUT);
        assertThat(reply.detail()).contains("50 ms");
    }

    @Test
    void send_bodyThatStalls_timesOut() throws Exception {
        WorkerReply reply = raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun", false);

        assertThat(reply.failureCode()).isEqualTo(ErrorCode.UPSTREAM_TIMEOUT);
    }

    @Test
    void send_truncatedBody_isReset() throws Exception {
        WorkerReply reply = raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun", true);

        assertThat(reply.failureCode()).isEqualTo(ErrorCode.UPSTREAM_RESET);
    }

    @Test
    void send_garbage_isFailure() throws Exception {
        WorkerReply reply = raw("\u0000\u0001 what\r\n\r\n", true);

        assertThat(reply.answered()).isFalse();
        assertThat(reply.failureCode()).isIn(ErrorCode.UPSTREAM_PROTOCOL_ERROR, ErrorCode.UPSTREAM_RESET);
    }

    /** Sends these bytes to one request, then closes or keeps silent. */
    private WorkerReply raw(String bytes, boolean thenClose) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<WorkerReply> reply = fleet.http.send(
                    URI.create("http://127.0.0.1:" + listener.getLocalPort()),
                    null,
                    Call.get("/x", thenClose ? LONG : Duration.ofMillis(300)));
            try (Socket connection = listener.accept()) {
                readHead(connection);
                connection.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
                connection.getOutputStream().flush();
                if (!thenClose) {
                    return reply.get(30, TimeUnit.SECONDS);
                }
            }
            return reply.get(30, TimeUnit.SECONDS);
        }
    }

    private static void readHead(Socket connection) throws IOException {
        int run = 0;
        while (run < 4) {
            int c = connection.getInputStream().read();
            run = c == '\r' || c == '\n' ? run + 1 : 0;
        }
    }

    @Test
    void send_tlsToPlainPort_saysSo() throws Exception {
        WorkerReply reply;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            URI url = URI.create("https://127.0.0.1:" + listener.getLocalPort());
            CompletableFuture<WorkerReply> asked = fleet.http.send(url, null, Call.get("/x", LONG));
            try (Socket connection = listener.accept()) {
                connection.getOutputStream().write("HTTP/1.1 400 Bad\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                connection.getOutputStream().flush();
                reply = asked.get(30, TimeUnit.SECONDS);
            }
        }

        assertThat(reply.failureCode()).isEqualTo(ErrorCode.UPSTREAM_CONNECT_ERROR);
        assertThat(reply.detail()).isEqualTo("TLS failure");
    }

    @Test
    void send_hostName_isResolved() throws Exception {
        StubEngine engine = fleet.engine().on("/x", 200, "1");

        assertThat(ask(URI.create("http://localhost:" + engine.url().getPort()), Call.get("/x", LONG))
                        .ok())
                .isTrue();
    }

    @Test
    void send_closeDelimitedAndContinue_areUnderstood() throws Exception {
        WorkerReply reply = raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nall of it", true);

        assertThat(new String(reply.body(), StandardCharsets.UTF_8)).isEqualTo("all of it");
    }

    @Test
    void send_answerOverLimit_isRefused() throws Exception {
        StubEngine engine = fleet.engine().on("/huge", 200, "x".repeat(WorkerHttp.DEFAULT_MAX_BYTES + 1));

        WorkerReply reply = ask(engine.url(), Call.get("/huge", LONG));

        assertThat(reply.failureCode()).isEqualTo(ErrorCode.UPSTREAM_PROTOCOL_ERROR);
        assertThat(reply.detail()).contains("larger than 1048576 bytes");
    }

    @Test
    void send_answerOfLimit_isTaken() throws Exception {
        StubEngine engine = fleet.engine().on("/big", 200, "x".repeat(WorkerHttp.DEFAULT_MAX_BYTES));

        assertThat(ask(engine.url(), Call.get("/big", LONG)).body()).hasSize(WorkerHttp.DEFAULT_MAX_BYTES);
    }

    @Test
    void send_keyThatIsNoHeader_failsWithoutKey() throws Exception {
        WorkerReply reply = fleet.http
                .send(Fleet.deadUrl(), "se\ncret", Call.get("/health", LONG))
                .get(30, TimeUnit.SECONDS);

        assertThat(reply.answered()).isFalse();
        assertThat(reply.detail()).doesNotContain("se", "cret");
    }

    @Test
    void sendAll_someDead_keepsOrder() throws Exception {
        StubEngine first = fleet.engine().on("/x", 200, "1");
        StubEngine last = fleet.engine().on("/x", 200, "3");

        List<WorkerReply> replies = fleet.http
                .sendAll(
                        List.of(
                                fleet.pending(first.url(), null),
                                fleet.pending(Fleet.deadUrl(), null),
                                fleet.pending(last.url(), null)),
                        Call.get("/x", LONG))
                .get(30, TimeUnit.SECONDS);

        assertThat(replies).extracting(WorkerReply::ok).containsExactly(true, false, true);
        assertThat(replies.get(2).body()).containsExactly('3');
    }

    @Test
    void close_runningCall_endsWithFailure() throws Exception {
        StubEngine engine = fleet.engine().onGated("/x", "{}", new CountDownLatch(1));
        CompletableFuture<WorkerReply> reply = fleet.http.send(engine.url(), null, Call.get("/x", LONG));

        fleet.http.close();

        assertThat(reply.get(30, TimeUnit.SECONDS).failureCode()).isEqualTo(ErrorCode.SHUTTING_DOWN);
        assertThat(ask(engine.url(), Call.get("/x", LONG)).failureCode()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    }
}
