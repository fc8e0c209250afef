package io.kvgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose end or meaning two readers could see differently are refused, and nothing reaches a worker. */
final class RequestFramingTest {
    private static final String LINE = "POST /v1/chat/completions HTTP/1.1\r\n";
    private static final String SMUGGLED = "POST /v1/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 2\r\n\r\n{}";

    private static void assertRefused(String request, String status) {
        for (int cut = 0; cut <= request.length(); cut += Math.max(1, request.length() / 40)) {
            try (ConnectionFixture fixture = new ConnectionFixture()) {
                fixture.send(request.substring(0, cut)).send(request.substring(cut) + SMUGGLED);
                assertThat(fixture.answered())
                        .as("cut at %s", cut)
                        .startsWith("HTTP/1.1 " + status + " ")
                        .doesNotContainPattern("(?s)HTTP/1\\.1 \\d.*HTTP/1\\.1 \\d")
                        .contains("connection: close", "x-request-id: ", "{\"error\":{");
                assertThat(fixture.open()).isFalse();
                assertThat(fixture.dispatched()).isZero();
                assertThat(fixture.control.asked).isEmpty();
                assertThat(fixture.log).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: g\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Host: g\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
                "Host: g\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                "Host: g\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\r\nContent-Length: 2, 2\r\n\r\n{}",
                "Host: g\r\nContent-Length: +2\r\n\r\n{}",
                "Host: g\r\nContent-Length: -1\r\n\r\n{}",
                "Host: g\r\nContent-Length: 0x2\r\n\r\n{}",
                "Host: g\r\nContent-Length: 2 2\r\n\r\n{}",
                "Host: g\r\nContent-Length: \r\n\r\n{}",
                "Host: g\r\nContent-Length: two\r\n\r\n{}",
                "Host: g\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
                "Host: g\r\nContent-Length: 9223372036854775808\r\n\r\n{}",
                "Host: g\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
                "Host: g\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "Host: g\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
                "Host: g\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "Host: g\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
                "Host: g\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Host: g\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
                "Host: g\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "Host: g\r\nContent-Length : 2\r\n\r\n{}",
                "Host : g\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
                " Host: g\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\r\nno colon\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\r\n: empty\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\r\nX\u0000: a\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\r\nX: a\u0000b\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\r\nX: a\rb\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g\nContent-Length: 2\n\n{}",
                "Host: g\r\nX: a\nContent-Length: 2\r\n\r\n{}",
                "Content-Length: 2\r\n\r\n{}",
                "Host: g\r\nHost: g\r\nContent-Length: 2\r\n\r\n{}",
                "Host: g, h\r\nContent-Length: 2\r\nHost: i\r\n\r\n{}",
            })
    void head_ambiguousOrMalformed_isRefused(String rest) {
        assertRefused(LINE + rest, "400");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /v1/chat/completions HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /v1/chat/completions HTTP/1.0\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "POST /v1/chat/completions HTTP/2.0\r\nHost: g\r\n\r\n",
                "POST /v1/chat/completions HTTP/1.2\r\nHost: g\r\n\r\n",
                "POST /v1/chat/completions HTTX/1.1\r\nHost: g\r\n\r\n",
                "POST /v1/chat/completions\r\nHost: g\r\n\r\n",
                "POST v1/chat/completions HTTP/1.1\r\nHost: g\r\n\r\n",
                "CONNECT example.com:443 HTTP/1.1\r\nHost: g\r\n\r\n",
                "POST ftp://g/v1/chat/completions HTTP/1.1\r\nHost: g\r\n\r\n",
                "POST /v1/chat/completions#x HTTP/1.1\r\nHost: g\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n",
                "P(ST /v1/chat/completions HTTP/1.1\r\nHost: g\r\n\r\n",
            })
    void line_notUnderstood_isRefused(String request) {
        assertRefused(request, "400");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\r\n{}\r\n0\r\n\r\n",
                "-2\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}x\r\n0\r\n\r\n",
                "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
                "2\n{}\n0\n\n",
                "2\r\n{}\n0\r\n\r\n",
            })
    void chunk_malformed_isRefused(String body) {
        assertRefused(LINE + "Host: g\r\nTransfer-Encoding: chunked\r\n\r\n" + body, "400");
    }

    /** A folded line is a part of its header's value, never a header: no second reader is left that could see it otherwise. */
    @Test
    void head_foldedHeader_isOneValue() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send("POST /now HTTP/1.1\r\nHost: g\r\nX: a\r\n Content-Length: 3\r\nContent-Length: 2\r\n\r\n{}");
            assertThat(fixture.answered()).startsWith("HTTP/1.1 200 ").endsWith("{}");
            assertThat(fixture.control.asked.get(0).headers()).containsEntry("x", "a Content-Length: 3");
        }
    }

    @Test
    void line_tooLong_is414() {
        assertRefused("POST /" + "x".repeat(2_000) + " HTTP/1.1\r\nHost: g\r\n\r\n", "414");
    }

    @Test
    void headers_tooLarge_is431() {
        assertRefused(LINE + "Host: g\r\nX: " + "x".repeat(5_000) + "\r\n\r\n", "431");
        assertRefused(LINE + "Host: g\r\n" + "X: y\r\n".repeat(1_500) + "\r\n", "431");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST http://g/v1/chat/completions?a=b HTTP/1.1\r\nHost: g\r\nContent-Length: 2\r\n\r\n{}",
                "POST /v1/chat/completions HTTP/1.1\r\nhost:g\r\ncontent-length:2\r\n\r\n{}",
                "POST /v1/chat/completions HTTP/1.1\r\nHost: \r\nContent-Length: 2\r\n\r\n{}",
                "\r\nPOST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 2\r\n\r\n{}",
                "POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: Chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\nt: 1\r\n\r\n",
                "POST /v1/chat/completions HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}",
            })
    void request_wellFormed_reachesTheRouter(String request) {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(request);
            assertThat(fixture.answered()).startsWith("HTTP/1.1 503 ").contains("no_workers");
            assertThat(fixture.dispatched()).isEqualTo(1);
        }
    }
}
