package io.kvgate.server.routing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.server.config.AuthConfig;
import io.kvgate.server.config.HeaderConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestHeadEncoderTest {
    private static final String GATEWAY_KEY = "gateway-key";

    private HttpMethod method = HttpMethod.POST;
    private String target = "/v1/chat/completions?a=b";
    private String workerUrl = "http://10.0.0.7:8000";
    private @Nullable String workerKey;
    private AuthConfig auth = AuthConfig.NONE;
    private HeaderConfig config = HeaderConfig.DEFAULT;
    private final HttpHeaders received =
            DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();

    /** The lines of an encoded head without its end. */
    private List<String> encode(int bodyBytes) {
        RequestHead head = new RequestHead(
                method, target.split("\\?", 2)[0], target, received, false, "192.0.2.9", "chatcmpl-1", 0);
        WorkerSpec spec = new WorkerSpec(
                URI.create(workerUrl),
                WorkerRole.REGULAR,
                null,
                workerKey,
                50,
                1.0,
                Map.of(),
                null,
                HealthSettings.DEFAULT);
        ByteBuf out = new RequestHeadEncoder(config, auth)
                .encode(head, new WorkerFleet().add(spec), bodyBytes, UnpooledByteBufAllocator.DEFAULT);
        String text = out.toString(ISO_8859_1);
        out.release();
        assertThat(text).endsWith("\r\n\r\n");
        String[] lines = text.substring(0, text.length() - 4).split("\r\n", -1);
        assertThat(lines).noneMatch(line -> line.isEmpty() || line.contains("\n") || line.contains("\r"));
        return Arrays.asList(lines);
    }

    private List<String> values(String name) {
        List<String> values = new ArrayList<>();
        for (String line : encode(2)) {
            if (line.toLowerCase(Locale.ROOT).startsWith(name + ": ")) {
                values.add(line.substring(name.length() + 2));
            }
        }
        return values;
    }

    @Test
    void encode_plainRequest_isWholeAndOrdered() {
        received.add("Host", "gateway.example:30000").add("Accept", "*/*").add("content-type", "application/json");
        assertThat(encode(17))
                .containsExactly(
                        "POST /v1/chat/completions?a=b HTTP/1.1",
                        "host: 10.0.0.7:8000",
                        "Accept: */*",
                        "content-type: application/json",
                        "x-request-id: chatcmpl-1",
                        "x-forwarded-for: 192.0.2.9",
                        "x-forwarded-host: gateway.example:30000",
                        "x-forwarded-proto: http",
                        "content-length: 17");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection",
                "Keep-Alive",
                "Proxy-Connection",
                "Proxy-Authenticate",
                "Proxy-Authorization",
                "TE",
                "Trailer",
                "Transfer-Encoding",
                "Upgrade",
                "HTTP2-Settings",
                "Expect",
                "Cookie",
                "X-SMG-Target-Worker",
                "X-KVGate-Explain",
            })
    void encode_headersOfThisConnectionOrDenied_areDropped(String name) {
        for (String spelled : List.of(name, name.toLowerCase(Locale.ROOT), name.toUpperCase(Locale.ROOT))) {
            received.clear();
            received.add(spelled, "value-x");
            assertThat(encode(2)).noneMatch(line -> line.contains("value-x"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Accept",
                "Accept-Encoding",
                "Content-Type",
                "User-Agent",
                "OpenAI-Organization",
                "X-SMG-Routing-Key",
                "X-Session-Id",
                "traceparent",
                "X-Data-Parallel-Rank",
            })
    void encode_endToEndHeaders_areKeptAsSpelled(String name) {
        received.add(name, "value-x");
        assertThat(encode(2)).containsOnlyOnce(name + ": value-x");
    }

    @Test
    void encode_repeatedHeader_keepsAllInOrder() {
        received.add("X-A", "1").add("X-B", "2").add("x-a", "3");
        assertThat(encode(2)).containsSubsequence("X-A: 1", "X-B: 2", "x-a: 3");
    }

    @Test
    void encode_deniedByConfig_isDropped() {
        config = new HeaderConfig(List.of("x-request-id"), List.of("x-secret"), List.of());
        received.add("X-Secret", "1").add("Cookie", "a=b");
        assertThat(values("x-secret")).isEmpty();
        assertThat(values("cookie")).containsExactly("a=b");
    }

    @Test
    void encode_nominatedByConnection_isDropped() {
        received.add("Connection", "close, X-Hop").add("connection", "x-other");
        received.add("x-hop", "1").add("X-Other", "2").add("X-Stays", "3");
        assertThat(values("x-hop")).isEmpty();
        assertThat(values("x-other")).isEmpty();
        assertThat(values("x-stays")).containsExactly("3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Type", "content-type", "Content-Encoding", "AUTHORIZATION"})
    void encode_messageHeaderNominated_staysAllTheSame(String name) {
        received.add("Connection", name).add(name, "value-x");
        assertThat(values(name.toLowerCase(Locale.ROOT))).containsExactly("value-x");
    }

    @Test
    void encode_requestId_isTheGatewaysAndOnlyOne() {
        received.add("X-Request-Id", "from client").add("X-Request-ID", "again");
        assertThat(values("x-request-id")).containsExactly("chatcmpl-1");
    }

    @Test
    void encode_forwardedHeaders_extendTheChain() {
        received.add("X-Forwarded-For", "198.51.100.1, 198.51.100.2").add("x-forwarded-for", "198.51.100.3");
        received.add("X-Forwarded-Host", "public.example")
                .add("X-Forwarded-Proto", "https")
                .add("Host", "inner");
        assertThat(values("x-forwarded-for")).containsExactly("198.51.100.1, 198.51.100.2, 198.51.100.3, 192.0.2.9");
        assertThat(values("x-forwarded-host")).containsExactly("public.example");
        assertThat(values("x-forwarded-proto")).containsExactly("https");
    }

    @Test
    void encode_noHost_addsNoForwardedHost() {
        assertThat(values("x-forwarded-host")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // gateway's key, worker's key, what the client sends, what the worker gets
                "-,-,-,-",
                "-,-,Bearer own,Bearer own",
                "-,-,Basic dXNlcg==,Basic dXNlcg==",
                "-,worker,Bearer own,Bearer worker",
                "-,worker,-,Bearer worker",
                "gateway-key,-,Bearer gateway-key,-",
                "gateway-key,-,bearer gateway-key,-",
                "gateway-key,-,BEARER   gateway-key ,-",
                "gateway-key,-,Bearer another,Bearer another",
                "gateway-key,worker,Bearer gateway-key,Bearer worker",
                "gateway-key,gateway-key,Bearer gateway-key,Bearer gateway-key",
            })
    void encode_authorization_isAtMostOneAndNeverTheGatewaysOwn(
            @Nullable String gateway, @Nullable String worker, @Nullable String sent, @Nullable String expected) {
        auth = new AuthConfig(gateway, List.of());
        workerKey = worker;
        if (sent != null) {
            received.add("Authorization", sent);
        }
        assertThat(values("authorization")).isEqualTo(expected == null ? List.of() : List.of(expected));
    }

    @Test
    void encode_authorizationTwice_sendsOne() {
        auth = new AuthConfig(GATEWAY_KEY, List.of());
        received.add("Authorization", "Bearer " + GATEWAY_KEY).add("authorization", "Bearer other");
        assertThat(encode(2)).noneMatch(line -> line.contains("other") || line.contains(GATEWAY_KEY));
    }

    @ParameterizedTest
    @CsvSource({
        "http://10.0.0.7:8000,10.0.0.7:8000,/v1/x",
        "http://10.0.0.7,10.0.0.7,/v1/x",
        "http://10.0.0.7:80,10.0.0.7,/v1/x",
        "https://engine.example,engine.example,/v1/x",
        "https://engine.example:443,engine.example,/v1/x",
        "https://engine.example:80,engine.example:80,/v1/x",
        "http://engine.example:443,engine.example:443,/v1/x",
        "http://[2001:db8::1]:8000,[2001:db8::1]:8000,/v1/x",
        "http://[2001:db8::1],[2001:db8::1],/v1/x",
        "http://engine.example/base,engine.example,/base/v1/x",
        "http://engine.example/base/a%20b//,engine.example,/base/a%20b/v1/x",
    })
    void encode_workerUrl_givesAuthorityAndPath(String url, String authority, String path) {
        workerUrl = url;
        target = "/v1/x";
        assertThat(encode(2)).startsWith("POST " + path + " HTTP/1.1", "host: " + authority);
    }

    @ParameterizedTest
    @CsvSource({"POST,0,0", "PUT,0,0", "PATCH,0,0", "POST,5,5", "GET,0,-", "DELETE,0,-", "HEAD,0,-", "GET,5,5"})
    void encode_contentLength_onlyWithABodyOrAMethodThatHasOne(String name, int bodyBytes, String expected) {
        method = HttpMethod.valueOf(name);
        received.add("Content-Length", "999").add("Transfer-Encoding", "chunked");
        List<String> framing = encode(bodyBytes).stream()
                .filter(line -> line.startsWith("content-length") || line.startsWith("transfer"))
                .toList();
        assertThat(framing).isEqualTo(expected.equals("-") ? List.of() : List.of("content-length: " + expected));
    }

    @Test
    void encode_bytesAboveAscii_passUnchanged() {
        received.add("X-Name", "caf\u00e9 \u00ff\u0080");
        assertThat(values("x-name")).containsExactly("caf\u00e9 \u00ff\u0080");
    }

    @Test
    void encode_charactersWithoutAByte_becomeOneHarmlessByte() {
        // U+010A and U+010D would be LF and CR if cut to their low byte.
        received.add("X-Name", "a\u010ab\u010dc");
        assertThat(values("x-name")).containsExactly("a?b?c");
    }
}
