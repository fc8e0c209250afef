package io.kvgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.server.config.HeaderConfig;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The small types that read a request head: rules, target, facts, id, CORS. */
final class HeadRulesTest {
    private static HttpRequest request(HttpVersion version, String... headers) {
        HttpRequest request = new DefaultHttpRequest(version, HttpMethod.POST, "/");
        for (int i = 0; i < headers.length; i += 2) {
            request.headers().add(headers[i], headers[i + 1]);
        }
        return request;
    }

    private static @Nullable GatewayException fault(HttpVersion version, String... headers) {
        return RequestRules.fault(request(version, headers));
    }

    // ------------------------------------------------------------- rules

    @Test
    void fault_wellFormed_isNone() {
        assertThat(fault(HttpVersion.HTTP_1_1, "Host", "g")).isNull();
        assertThat(fault(HttpVersion.HTTP_1_1, "Host", "g", "Content-Length", "007"))
                .isNull();
        assertThat(fault(HttpVersion.HTTP_1_1, "Host", "", "Transfer-Encoding", "CHUNKED"))
                .isNull();
        assertThat(fault(HttpVersion.HTTP_1_0)).isNull();
        assertThat(fault(HttpVersion.HTTP_1_0, "Host", "g", "Content-Length", "999999999999999999"))
                .isNull();
    }

    @Test
    void fault_framing_isNamed() {
        assertFault("Host: 0 headers", HttpVersion.HTTP_1_1);
        assertFault("Host: 2 headers", HttpVersion.HTTP_1_1, "Host", "g", "host", "g");
        assertFault("Host: 2 headers", HttpVersion.HTTP_1_0, "Host", "g", "host", "h");
        assertFault("both", HttpVersion.HTTP_1_1, "Host", "g", "Content-Length", "1", "Transfer-Encoding", "chunked");
        assertFault("Transfer-Encoding", HttpVersion.HTTP_1_0, "Transfer-Encoding", "chunked");
        assertFault("Transfer-Encoding", HttpVersion.HTTP_1_1, "Host", "g", "Transfer-Encoding", "gzip, chunked");
        for (String length : List.of("", "+5", "-1", "1,1", "0x1", "1000000000000000000")) {
            assertFault("Content-Length", HttpVersion.HTTP_1_1, "Host", "g", "Content-Length", length);
        }
        assertFault("Content-Length", HttpVersion.HTTP_1_1, "Host", "g", "Content-Length", "1", "Content-Length", "1");
        assertFault("version", HttpVersion.valueOf("HTTP/2.0"), "Host", "g");
        assertFault("version", HttpVersion.valueOf("RTSP/1.0"), "Host", "g");
    }

    private static void assertFault(String message, HttpVersion version, String... headers) {
        GatewayException fault = Objects.requireNonNull(fault(version, headers));
        assertThat(fault.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(fault.message()).contains(message);
    }

    @Test
    void decoderFault_kind_decidesTheStatus() {
        assertThat(RequestRules.decoderFault(new TooLongHttpLineException()).code())
                .isEqualTo(ErrorCode.URI_TOO_LONG);
        assertThat(RequestRules.decoderFault(new TooLongHttpHeaderException()).code())
                .isEqualTo(ErrorCode.HEADERS_TOO_LARGE);
        assertThat(RequestRules.decoderFault(new IllegalArgumentException("x")).code())
                .isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(RequestRules.decoderFault(null).code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    }

    // ------------------------------------------------------------- target

    @ParameterizedTest
    @CsvSource({
        "/,/,/",
        "/a/b?c=d?e,/a/b,/a/b?c=d?e",
        "/a%20b/,/a%20b/,/a%20b/",
        "//a,//a,//a",
        "*,*,*",
        "http://h/a?b,/a,/a?b",
        "HTTPS://h:1/a,/a,/a",
        "http://h,/,/",
        "http://h?x=/v1,/,/?x=/v1",
        "/a?http://h/b,/a,/a?http://h/b",
    })
    void target_knownForm_isSplit(String uri, String path, String pathAndQuery) {
        assertThat(RequestTarget.of(uri)).isEqualTo(new RequestTarget(path, pathAndQuery));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a/b", "h:443", "ftp://h/a", "/a b", "/a\tb", "/a\r\nb", "/a\u007f", "/a#b", "?a", "**"})
    void target_unknownForm_isNone(String uri) {
        assertThat(RequestTarget.of(uri)).isNull();
    }

    // ------------------------------------------------------------- facts

    @Test
    void facts_bodyAndConnection_areRead() {
        RequestFacts none = RequestFacts.of(request(HttpVersion.HTTP_1_1));
        assertThat(none).isEqualTo(new RequestFacts(0, null, null, true));
        assertThat(none.discardable()).isTrue();
        RequestFacts chunked = RequestFacts.of(request(HttpVersion.HTTP_1_1, "Transfer-Encoding", "chunked"));
        assertThat(chunked.contentLength()).isEqualTo(-1);
        assertThat(chunked.discardable()).isFalse();
        RequestFacts expecting = RequestFacts.of(request(
                HttpVersion.HTTP_1_1, "Content-Length", "5", "Expect", "100-continue", "Connection", "x, Close"));
        assertThat(expecting).isEqualTo(new RequestFacts(5, null, "100-continue", false));
        assertThat(expecting.discardable()).isFalse();
        assertThat(new RequestFacts(262_144, null, null, true).discardable()).isTrue();
        assertThat(new RequestFacts(262_145, null, null, true).discardable()).isFalse();
    }

    @Test
    void facts_http10_keepsAliveOnlyIfAskedAndExpectsNothing() {
        assertThat(RequestFacts.of(request(HttpVersion.HTTP_1_0)).keepAlive()).isFalse();
        assertThat(RequestFacts.of(request(HttpVersion.HTTP_1_0, "Connection", "Keep-Alive"))
                        .keepAlive())
                .isTrue();
        assertThat(RequestFacts.of(request(HttpVersion.HTTP_1_0, "Expect", "100-continue"))
                        .expect())
                .isNull();
    }

    // ------------------------------------------------------------- ids

    private static String id(String path, String... headers) {
        HttpHeaders received = request(HttpVersion.HTTP_1_1, headers).headers();
        return new RequestIds(HeaderConfig.DEFAULT.requestIdHeaders(), new SplitMixRandom(1)).idFor(path, received);
    }

    @Test
    void idFor_clientsId_isTakenInOrderOfTheHeaders() {
        assertThat(id("/", "X-Trace-Id", "t", "X-Correlation-Id", "c", "X-Request-Id", "r"))
                .isEqualTo("r");
        assertThat(id("/", "Request-Id", "q", "X-Trace-Id", "t")).isEqualTo("t");
        assertThat(id("/", "X-Request-Id", "has space", "X-Trace-Id", "t")).isEqualTo("t");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "caf\u00e9", "a\tb"})
    void idFor_unusableId_isReplaced(String value) {
        assertThat(id("/x", "X-Request-Id", value)).matches("req-[A-Za-z0-9]{24}");
    }

    @Test
    void idFor_longId_isReplaced() {
        assertThat(id("/x", "X-Request-Id", "a".repeat(256))).isEqualTo("a".repeat(256));
        assertThat(id("/x", "X-Request-Id", "a".repeat(257))).startsWith("req-");
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/chat/completions,chatcmpl-",
        "/v1/completions,cmpl-",
        "/generate,gnt-",
        "/v1/responses,resp-",
        "/x,req-"
    })
    void idFor_noId_isMadeWithThePathsPrefix(String path, String prefix) {
        assertThat(id(path)).matches(prefix + "[A-Za-z0-9]{24}");
    }

    @Test
    void idFor_manyRequests_areDifferent() {
        RequestIds ids = new RequestIds(List.of(), new SplitMixRandom(1));
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            assertThat(seen.add(ids.idFor("/", new DefaultHttpHeaders()))).isTrue();
        }
    }

    // ------------------------------------------------------------- CORS

    private static HttpHeaders decorated(List<String> origins, @Nullable String origin) {
        HttpHeaders response = new DefaultHttpHeaders();
        new Cors(origins).decorate(origin, response);
        return response;
    }

    @Test
    void cors_noBrowser_addsNothing() {
        assertThat(decorated(List.of(), null).isEmpty()).isTrue();
        assertThat(decorated(List.of("https://a"), null).isEmpty()).isTrue();
    }

    @Test
    void cors_anyOrigin_isAllowedWithoutNamingIt() {
        HttpHeaders headers = decorated(List.of(), "https://a");
        assertThat(headers.get("access-control-allow-origin")).isEqualTo("*");
        assertThat(headers.contains("vary")).isFalse();
    }

    @Test
    void cors_listedOrigin_isNamedAndVaries() {
        HttpHeaders headers = decorated(List.of("https://a", "https://b"), "https://b");
        assertThat(headers.get("access-control-allow-origin")).isEqualTo("https://b");
        assertThat(headers.get("vary")).isEqualTo("Origin");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://c", "https://a.evil", "null", "HTTPS://A", ""})
    void cors_otherOrigin_isNotAllowed(String origin) {
        HttpHeaders headers = decorated(List.of("https://a"), origin);
        assertThat(headers.contains("access-control-allow-origin")).isFalse();
        assertThat(headers.get("vary")).isEqualTo("Origin");
    }

    @Test
    void cors_preflight_namesMethodsAndHeaders() {
        ControlResponse any = new Cors(List.of()).preflight();
        assertThat(any.status()).isEqualTo(204);
        assertThat(any.headers()).containsKeys("access-control-allow-methods", "access-control-max-age");
        assertThat(any.headers().get("access-control-allow-headers")).contains("*", "authorization");
        assertThat(new Cors(List.of("https://a")).preflight().headers().get("access-control-allow-headers"))
                .contains("authorization")
                .doesNotContain("*");
    }
}
