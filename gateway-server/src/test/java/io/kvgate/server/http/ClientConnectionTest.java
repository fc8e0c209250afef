package io.kvgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.server.config.AdmissionConfig;
import io.kvgate.server.config.AuthConfig;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ClientConnectionTest {
    private static final String CHAT = "POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\n";

    private static String post(String path, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: g\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private static List<String> statuses(String answers) {
        return Pattern.compile("HTTP/1\\.1 (\\d{3}) ")
                .matcher(answers)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    // ------------------------------------------------------------- order

    @Test
    void pipelined_answeredInOrderWhateverIsReadyFirst() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(
                    post("/later", "1") + post("/now", "\"two\"") + post("/later", "3") + post("/now", "\"four\""));
            assertThat(fixture.answered()).isEmpty();
            assertThat(fixture.control.asked).hasSize(1);
            fixture.control.later.get(0).complete(ControlResponse.json(201, new byte[] {'1'}));
            String first = fixture.answered();
            assertThat(statuses(first)).containsExactly("201", "200");
            assertThat(first).endsWith("\"two\"");
            fixture.control.later.get(1).complete(ControlResponse.json(202, new byte[] {'3'}));
            assertThat(statuses(fixture.answered())).containsExactly("202", "200");
            assertThat(fixture.open()).isTrue();
        }
    }

    @Test
    void pipelined_inPiecesOfAnySize_isTheSame() {
        String requests = post("/now", "\"a\"") + "GET /now HTTP/1.1\r\nHost: g\r\n\r\n"
                + "POST /now HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\"b\"\r\n0\r\n\r\n"
                + CHAT + "Content-Length: 2\r\n\r\n{}" + post("/now", "\"c\"");
        for (int size = 1; size < 40; size++) {
            try (ConnectionFixture fixture = new ConnectionFixture()) {
                for (int at = 0; at < requests.length(); at += size) {
                    fixture.send(requests.substring(at, Math.min(requests.length(), at + size)));
                }
                String answers = fixture.answered();
                assertThat(statuses(answers)).containsExactly("200", "200", "200", "503", "200");
                assertThat(answers).containsSubsequence("\"a\"", "\"b\"", "no_workers", "\"c\"");
                assertThat(fixture.dispatched()).isEqualTo(1);
                assertThat(fixture.log).hasSize(5);
                assertThat(fixture.open()).isTrue();
            }
        }
    }

    @Test
    void readAhead_isBoundedAndGoesOnAfterTheAnswer() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(post("/later", ""));
            int sent = 0;
            while (fixture.reading() && sent < 10_000) {
                fixture.send(post("/now", ""));
                sent++;
            }
            assertThat(sent).isLessThan(300);
            fixture.control.later.get(0).complete(ControlResponse.json(200, new byte[0]));
            assertThat(statuses(fixture.answered())).hasSize(sent + 1);
            assertThat(fixture.reading()).isTrue();
        }
    }

    @Test
    void readAhead_largeHeads_isBoundedInBytes() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(post("/later", ""));
            String large = "GET /now HTTP/1.1\r\nHost: g\r\nX: " + "x".repeat(4_000) + "\r\n\r\n";
            int sent = 0;
            while (fixture.reading() && sent < 10_000) {
                fixture.send(large);
                sent++;
            }
            assertThat(sent * large.length()).isLessThan(200_000);
        }
    }

    // ------------------------------------------------------------- early answers

    @Test
    void earlyAnswer_smallBodyUnread_keepsTheConnection() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send("POST /nowhere HTTP/1.1\r\nHost: g\r\nContent-Length: 10\r\n\r\n12345");
            assertThat(fixture.answered()).startsWith("HTTP/1.1 404 ").doesNotContain("connection: close");
            fixture.send("67890" + post("/now", "1"));
            assertThat(statuses(fixture.answered())).containsExactly("200");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 300000",
                "Transfer-Encoding: chunked",
                "Content-Length: 10\r\nExpect: 100-continue"
            })
    void earlyAnswer_bodyNotWorthReading_closesTheConnection(String header) {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send("POST /nowhere HTTP/1.1\r\nHost: g\r\n" + header + "\r\n\r\n");
            assertThat(fixture.answered()).startsWith("HTTP/1.1 404 ").contains("connection: close");
            assertThat(fixture.open()).isFalse();
        }
    }

    @Test
    void tooLargeBody_announced_isRefusedAtOnce() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(CHAT + "Content-Length: 1000001\r\n\r\n");
            assertThat(fixture.answered()).startsWith("HTTP/1.1 413 ").contains("payload_too_large");
            assertThat(fixture.open()).isFalse();
        }
    }

    @Test
    void tooLargeBody_inChunks_isRefusedWhenItGetsTooLarge() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(CHAT + "Transfer-Encoding: chunked\r\n\r\n");
            String chunk = "c350\r\n" + "x".repeat(50_000) + "\r\n";
            for (int i = 0; i < 20; i++) {
                fixture.send(chunk);
                assertThat(fixture.answered()).isEmpty();
            }
            fixture.send("1\r\nx\r\n");
            assertThat(fixture.answered()).startsWith("HTTP/1.1 413 ");
            assertThat(fixture.open()).isFalse();
            assertThat(fixture.dispatched()).isZero();
        }
    }

    // ------------------------------------------------------------- expect

    @Test
    void expectContinue_accepted_isToldToSendTheBody() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(CHAT + "Content-Length: 2\r\nExpect: 100-Continue\r\n\r\n");
            assertThat(fixture.answered()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            fixture.send("{}");
            assertThat(statuses(fixture.answered())).containsExactly("503");
        }
    }

    @Test
    void expectContinue_refused_isNotToldTo() {
        try (ConnectionFixture fixture =
                new ConnectionFixture(AdmissionConfig.DEFAULT, new AuthConfig("k", List.of()))) {
            fixture.send(CHAT + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n");
            assertThat(statuses(fixture.answered())).containsExactly("401");
            assertThat(fixture.open()).isFalse();
        }
    }

    @Test
    void expectContinue_http10_isIgnored() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send("POST /v1/chat/completions HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
            assertThat(fixture.answered()).isEmpty();
            fixture.send("{}");
            assertThat(statuses(fixture.answered())).containsExactly("503");
        }
    }

    @Test
    void expect_somethingElse_isRefused() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(CHAT + "Content-Length: 2\r\nExpect: a-miracle\r\n\r\n{}");
            assertThat(statuses(fixture.answered())).containsExactly("417");
        }
    }

    // ------------------------------------------------------------- methods and paths

    @Test
    void headRequest_getsTheHeadersOnly() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send("HEAD /later HTTP/1.1\r\nHost: g\r\n\r\n" + post("/now", "1"));
            fixture.control.later.get(0).complete(ControlResponse.json(200, new byte[] {'a', 'b', 'c'}));
            String answers = fixture.answered();
            assertThat(statuses(answers)).containsExactly("200", "200");
            assertThat(answers).contains("content-length: 3\r\n").doesNotContain("abc");
            assertThat(fixture.control.asked.get(0).method()).isEqualTo("GET");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET /v1/chat/completions,405,method_not_allowed",
        "DELETE /now,405,method_not_allowed",
        "GET /nowhere,404,not_found",
        "GET /NOW,404,not_found",
        "POST /v1/chat/completions/,404,not_found",
        "GET /throws,500,internal_error",
    })
    void request_thatCantBeServed_isAnsweredInJson(String line, String status, String code) {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(line + " HTTP/1.1\r\nHost: g\r\nX-Request-Id: mine\r\n\r\n");
            String answer = fixture.answered();
            assertThat(answer)
                    .startsWith("HTTP/1.1 " + status + " ")
                    .contains("x-smg-error-code: " + code, "x-request-id: mine", "application/json");
            if (status.equals("405")) {
                assertThat(answer).containsPattern("allow: (POST|GET, POST)\r\n");
            }
            assertThat(fixture.open()).isTrue();
        }
    }

    @Test
    void http10_isClosedUnlessAskedNotTo() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send("GET /now HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            assertThat(fixture.answered()).contains("connection: keep-alive");
            fixture.send("GET /now HTTP/1.0\r\n\r\n");
            assertThat(fixture.answered()).contains("connection: close");
            assertThat(fixture.open()).isFalse();
        }
    }

    @Test
    void draining_answersAndCloses() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.drain.drain();
            fixture.send(post("/now", "1"));
            assertThat(fixture.answered()).startsWith("HTTP/1.1 200 ").contains("connection: close");
            assertThat(fixture.open()).isFalse();
        }
    }

    // ------------------------------------------------------------- clients that leave or stall

    @Test
    void clientGone_insideTheBody_isWrittenDownOnce() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(CHAT + "Content-Length: 10\r\n\r\n{\"a");
            assertThat(fixture.budget.held()).isEqualTo(3);
            fixture.channel.close();
            assertThat(fixture.open()).isFalse();
            assertThat(fixture.log).singleElement().satisfies(line -> {
                assertThat(line.outcome()).isEqualTo("client_aborted");
                assertThat(line.status()).isEqualTo(499);
            });
        }
    }

    @Test
    void idleConnection_isClosedAfterTheLimit() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.pass(ConnectionFixture.IDLE.minusMillis(1));
            assertThat(fixture.open()).isTrue();
            fixture.send(post("/now", "1"));
            fixture.answered();
            fixture.pass(ConnectionFixture.IDLE.minusMillis(1));
            assertThat(fixture.open()).isTrue();
            fixture.pass(Duration.ofMillis(1));
            assertThat(fixture.open()).isFalse();
            assertThat(fixture.answered()).isEmpty();
        }
    }

    @Test
    void stalledBody_isAnsweredAfterTheLimit() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(CHAT + "Content-Length: 10\r\n\r\n{\"a");
            fixture.pass(ConnectionFixture.IDLE);
            assertThat(fixture.answered()).startsWith("HTTP/1.1 408 ").contains("client_timeout");
            assertThat(fixture.open()).isFalse();
        }
    }

    @Test
    void slowAnswer_isNotTheClientsFault() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(post("/later", "1"));
            fixture.pass(ConnectionFixture.IDLE.multipliedBy(10));
            assertThat(fixture.open()).isTrue();
            fixture.control.later.get(0).complete(ControlResponse.json(200, new byte[0]));
            assertThat(statuses(fixture.answered())).containsExactly("200");
        }
    }

    // ------------------------------------------------------------- admission

    @Test
    void queueTimeout_bodyPaused_isReadOnForTheNextRequest() {
        AdmissionConfig one = new AdmissionConfig(1, 1, Duration.ofSeconds(5), 0, 0);
        try (ConnectionFixture fixture = new ConnectionFixture(one, AuthConfig.NONE)) {
            var other = fixture.admission.arrive(() -> {});
            fixture.send(CHAT + "Content-Length: 200000\r\n\r\n" + "x".repeat(100_000));
            assertThat(fixture.reading()).isFalse();
            fixture.pass(Duration.ofSeconds(5));
            assertThat(fixture.answered()).startsWith("HTTP/1.1 429 ").contains("queue_timeout");
            other.ticket().release();
            assertThat(fixture.reading()).isTrue();
            fixture.send("x".repeat(100_000) + post("/now", "1"));
            assertThat(statuses(fixture.answered())).containsExactly("200");
        }
    }

    @Test
    void queued_thenAdmitted_isServed() {
        AdmissionConfig one = new AdmissionConfig(1, 1, Duration.ofSeconds(5), 0, 0);
        try (ConnectionFixture fixture = new ConnectionFixture(one, AuthConfig.NONE)) {
            var other = fixture.admission.arrive(() -> {});
            fixture.send(post("/v1/completions", "{\"a\":1}"));
            assertThat(fixture.answered()).isEmpty();
            other.ticket().release();
            assertThat(statuses(fixture.answered())).containsExactly("503");
            assertThat(fixture.dispatched()).isEqualTo(1);
        }
    }

    @Test
    void model_ofAnyText_isAnswered() {
        try (ConnectionFixture fixture = new ConnectionFixture()) {
            fixture.send(post("/v1/completions", "{\"model\":\"\\ud800\"}"));
            assertThat(statuses(fixture.answered())).containsExactly("503");
        }
    }
}
