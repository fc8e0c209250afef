package io.kvgate.server.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.server.upstream.BodyFraming.FramingException;
import io.kvgate.server.upstream.BodyFraming.Kind;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ResponseFramingRuleTest {
    private static HttpResponse response(HttpVersion version, int status, String... headers) {
        HttpResponse response = new DefaultHttpResponse(
                version,
                HttpResponseStatus.valueOf(status),
                DefaultHttpHeadersFactory.headersFactory().withValidation(false));
        for (int i = 0; i < headers.length; i += 2) {
            response.headers().add(headers[i], headers[i + 1]);
        }
        return response;
    }

    private static HttpResponse ok(String... headers) {
        return response(HttpVersion.HTTP_1_1, 200, headers);
    }

    private static BodyFraming framing(HttpResponse response) throws FramingException {
        return ResponseFramingRule.framing(response, false);
    }

    @Test
    void framing_noLengthNoCoding_lastsUntilClose() throws FramingException {
        assertThat(framing(ok()).kind()).isEqualTo(Kind.UNTIL_CLOSE);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "5,5", "0000000005,5", "' 7 ',7", "999999999999999999,999999999999999999"})
    void framing_length_isRead(String value, long bytes) throws FramingException {
        BodyFraming framing = framing(ok("Content-Length", value));
        assertThat(framing.kind()).isEqualTo(Kind.LENGTH);
        assertThat(framing.missingBytes()).isEqualTo(bytes);
        assertThat(framing.ended()).isEqualTo(bytes == 0);
    }

    @Test
    void framing_sameLengthTwice_isOneLength() throws FramingException {
        assertThat(framing(ok("Content-Length", "5", "content-length", " 5 ")).missingBytes())
                .isEqualTo(5);
    }

    @Test
    void framing_differentLengths_throws() {
        assertThatThrownBy(() -> framing(ok("Content-Length", "5", "Content-Length", "05")))
                .isInstanceOf(FramingException.class);
        assertThatThrownBy(() -> framing(ok("Content-Length", "5", "Content-Length", "6")))
                .isInstanceOf(FramingException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "+5", "-1", "5, 5", "5,6", "0x5", "5 5", "1e3", "5.0", "1000000000000000000", "٥"})
    void framing_noLength_throws(String value) {
        assertThatThrownBy(() -> framing(ok("Content-Length", value))).isInstanceOf(FramingException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"chunked", "Chunked", " CHUNKED "})
    void framing_chunked_inAnyCase(String value) throws FramingException {
        assertThat(framing(ok("Transfer-Encoding", value)).kind()).isEqualTo(Kind.CHUNKED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "gzip, chunked", "chunked, gzip", "identity", "", "chunked;q=1", "xchunked"})
    void framing_otherCoding_throws(String value) {
        assertThatThrownBy(() -> framing(ok("Transfer-Encoding", value))).isInstanceOf(FramingException.class);
    }

    @Test
    void framing_codingTwice_throws() {
        assertThatThrownBy(() -> framing(ok("Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked")))
                .isInstanceOf(FramingException.class);
    }

    @Test
    void framing_lengthAndCoding_throws() {
        assertThatThrownBy(() -> framing(ok("Transfer-Encoding", "chunked", "Content-Length", "5")))
                .isInstanceOf(FramingException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 304})
    void framing_statusWithoutBody_hasNone(int status) throws FramingException {
        assertThat(framing(response(HttpVersion.HTTP_1_1, status, "Content-Length", "5"))
                        .kind())
                .isEqualTo(Kind.NONE);
        assertThat(framing(response(HttpVersion.HTTP_1_1, status, "Transfer-Encoding", "chunked"))
                        .kind())
                .isEqualTo(Kind.NONE);
    }

    @Test
    void framing_headRequest_hasNone() throws FramingException {
        assertThat(ResponseFramingRule.framing(ok("Content-Length", "5"), true).kind())
                .isEqualTo(Kind.NONE);
    }

    @Test
    void framing_protocolSwitch_throws() {
        assertThatThrownBy(() -> framing(response(HttpVersion.HTTP_1_1, 101, "Upgrade", "h2c")))
                .isInstanceOf(FramingException.class);
    }

    private static boolean keepAlive(HttpResponse response) throws FramingException {
        return ResponseFramingRule.keepAlive(response, framing(response));
    }

    @Test
    void keepAlive_http11_unlessToldOtherwise() throws FramingException {
        assertThat(keepAlive(ok("Content-Length", "5"))).isTrue();
        assertThat(keepAlive(ok("Transfer-Encoding", "chunked"))).isTrue();
        assertThat(keepAlive(ok("Content-Length", "5", "Connection", "keep-alive")))
                .isTrue();
        assertThat(keepAlive(ok("Content-Length", "5", "Connection", "close"))).isFalse();
        assertThat(keepAlive(ok("Content-Length", "5", "Connection", "x-other, Close")))
                .isFalse();
    }

    @Test
    void keepAlive_untilClose_never() throws FramingException {
        assertThat(keepAlive(ok("Connection", "keep-alive"))).isFalse();
    }

    @Test
    void keepAlive_http10_onlyIfTold() throws FramingException {
        assertThat(keepAlive(response(HttpVersion.HTTP_1_0, 200, "Content-Length", "5")))
                .isFalse();
        assertThat(keepAlive(response(HttpVersion.HTTP_1_0, 200, "Content-Length", "5", "Connection", "Keep-Alive")))
                .isTrue();
    }
}
