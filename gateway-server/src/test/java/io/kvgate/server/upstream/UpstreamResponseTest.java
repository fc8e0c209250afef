package io.kvgate.server.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.worker.Worker;
import io.kvgate.server.upstream.BodyFraming.Kind;
import io.kvgate.server.upstream.UpstreamFixture.Started;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a call makes of the bytes of a response, on real sockets. */
final class UpstreamResponseTest {
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

    /** A call whose request has been read. */
    private record Asked(Started call, RawWorker.Peer peer) {
        RecordingListener told() {
            return call.told();
        }
    }

    private Asked ask() throws Exception {
        Started started = fixture.call(worker, "hello");
        RawWorker.Peer peer = raw.accept();
        assertThat(peer.readHead()).startsWith("POST /v1/x HTTP/1.1\r\n");
        assertThat(peer.read(5)).isEqualTo("hello");
        return new Asked(started, peer);
    }

    @Test
    void call_lengthBody_isToldRawAndAsPayload() throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 299 Fine so far\r\nX-A: 1\r\nContent-Length: 5\r\nX-A: 2\r\n\r\nhe");
        asked.peer().write("llo");
        asked.told().awaitEnd();
        UpstreamHead head = asked.told().awaitHead();
        assertThat(head.status()).isEqualTo(299);
        assertThat(head.reason()).isEqualTo("Fine so far");
        assertThat(head.headers().getAll("x-a")).containsExactly("1", "2");
        assertThat(head.framing().kind()).isEqualTo(Kind.LENGTH);
        assertThat(asked.told().raw()).isEqualTo("hello");
        assertThat(asked.told().payload()).isEqualTo("hello");
    }

    @Test
    void call_chunkedBody_isToldByteForByte() throws Exception {
        String body = "3;x=y\r\nabc\r\n2\r\n\r\n\r\n0\r\nt: 1\r\n\r\n";
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int i = 0; i < body.length(); i++) {
            asked.peer().write(body.substring(i, i + 1));
        }
        asked.told().awaitEnd();
        assertThat(asked.told().raw()).isEqualTo(body);
        assertThat(asked.told().payload()).isEqualTo("abc\r\n");
        assertThat(fixture.openConnections()).isEqualTo(1);
    }

    @Test
    void call_untilClose_endsWithTheConnection() throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 200 OK\r\n\r\nall there is");
        asked.peer().close();
        asked.told().awaitEnd();
        assertThat(asked.told().raw()).isEqualTo("all there is");
        fixture.awaitOpenConnections(0);
    }

    @Test
    void call_untilCloseReset_fails() throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 200 OK\r\n\r\nnot all");
        asked.told().awaitHead();
        asked.peer().reset();
        assertThat(asked.told().awaitFailure().code()).isEqualTo(ErrorCode.UPSTREAM_RESET);
    }

    @Test
    void call_interimResponses_areSwallowed() throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
        asked.peer().write("HTTP/1.1 102 Processing\r\n\r\n" + UpstreamFixture.OK);
        asked.told().awaitEnd();
        assertThat(asked.told().awaitHead().status()).isEqualTo(200);
        assertThat(asked.told().awaitHead().headers().contains("link")).isFalse();
        assertThat(asked.told().raw()).isEqualTo("ok");
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 304})
    void call_statusWithoutBody_endsAtTheHead(int status) throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 " + status + " X\r\nEtag: 1\r\n\r\n");
        asked.told().awaitEnd();
        assertThat(asked.told().awaitHead().framing().kind()).isEqualTo(Kind.NONE);
        assertThat(asked.told().rawBytes()).isZero();
        assertThat(fixture.openConnections()).isEqualTo(1);
    }

    @Test
    void call_headRequest_hasNoBody() throws Exception {
        Started started = fixture.headCall(worker);
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        started.told().awaitEnd();
        assertThat(started.told().awaitHead().headers().get("content-length")).isEqualTo("1000");
        assertThat(fixture.openConnections()).isEqualTo(1);
    }

    @Test
    void call_closedBeforeTheHead_failsAsReset() throws Exception {
        Asked asked = ask();
        asked.peer().close();
        assertReset(asked, "closed before the response head");
    }

    @Test
    void call_resetBeforeTheHead_failsAsReset() throws Exception {
        Asked asked = ask();
        asked.peer().reset();
        assertReset(asked, "closed before the response head");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "H",
                "HTTP/1.1 200 O",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nContent-Le",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
                "HTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2",
            })
    void call_closedInsideTheHead_failsAsReset(String part) throws Exception {
        Asked asked = ask();
        asked.peer().write(part);
        asked.peer().close();
        assertReset(asked, "closed before the response head");
    }

    private void assertReset(Asked asked, String cause) throws Exception {
        UpstreamFailure failure = asked.told().awaitFailure();
        assertThat(failure.code()).isEqualTo(ErrorCode.UPSTREAM_RESET);
        assertThat(failure.cause()).contains(cause);
        assertThat(failure.stale()).isFalse();
        fixture.awaitOpenConnections(0);
    }

    @Test
    void call_lengthBodyCutShort_namesWhatIsMissing() throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        asked.peer().close();
        UpstreamFailure failure = asked.told().awaitFailure();
        assertThat(failure.code()).isEqualTo(ErrorCode.UPSTREAM_RESET);
        assertThat(failure.cause()).contains("6 bytes missing");
        assertThat(asked.told().raw()).isEqualTo("half");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "5", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n", "0\r\nt: 1\r\n"})
    void call_chunkedBodyCutShort_fails(String part) throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + part);
        asked.peer().close();
        UpstreamFailure failure = asked.told().awaitFailure();
        assertThat(failure.code()).isEqualTo(ErrorCode.UPSTREAM_RESET);
        assertThat(failure.cause()).contains("before the end of the response");
        assertThat(asked.told().toldEnd()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "220 mail.example ESMTP\r\n\r\n",
                "\u0016\u0003\u0001\u0002\r\n\r\n",
                "HTTP/1.1 OK\r\n\r\n",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxx",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
            })
    void call_headThatCantBePassedOn_failsAsProtocolError(String head) throws Exception {
        Asked asked = ask();
        asked.peer().write(head);
        UpstreamFailure failure = asked.told().awaitFailure();
        assertThat(failure.code()).isEqualTo(ErrorCode.UPSTREAM_PROTOCOL_ERROR);
        assertThat(failure.stale()).isFalse();
        assertThat(asked.told().toldHead()).isFalse();
        assertThat(asked.peer().seesEnd()).isTrue();
    }

    @Test
    void call_headTooLarge_failsAndNamesTheFlag() throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 200 OK\r\nX: " + "x".repeat(UpstreamFixture.MAX_HEADER_BYTES) + "\r\n\r\n");
        UpstreamFailure failure = asked.told().awaitFailure();
        assertThat(failure.code()).isEqualTo(ErrorCode.UPSTREAM_PROTOCOL_ERROR);
        assertThat(failure.cause()).contains("--max-header-size");
    }

    @Test
    void call_badChunk_passesOnWhatStoodBefore() throws Exception {
        Asked asked = ask();
        asked.peer().write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nXX\r\nlost");
        UpstreamFailure failure = asked.told().awaitFailure();
        assertThat(failure.code()).isEqualTo(ErrorCode.UPSTREAM_PROTOCOL_ERROR);
        assertThat(asked.told().raw()).isEqualTo("5\r\nhello\r\n");
        assertThat(asked.told().payload()).isEqualTo("hello");
        assertThat(asked.told().awaitHead().framing().betweenChunks()).isTrue();
        assertThat(asked.peer().seesEnd()).isTrue();
    }

    @Test
    void call_nobodyListens_failsAsConnectError() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0)) {
            port = closed.getLocalPort();
        }
        Started started = fixture.call(fixture.worker(URI.create("http://127.0.0.1:" + port)), "body");
        UpstreamFailure failure = started.told().awaitFailure();
        assertThat(failure.code()).isEqualTo(ErrorCode.UPSTREAM_CONNECT_ERROR);
        assertThat(failure.cause()).doesNotContain("127.0.0.1");
        assertThat(failure.stale()).isFalse();
        assertThat(fixture.openConnections()).isZero();
    }
}
