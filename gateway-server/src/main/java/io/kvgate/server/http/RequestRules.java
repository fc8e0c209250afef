package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a request head must satisfy before anything is done for it (RFC 9112). A request that breaks a rule ends its connection. */
final class RequestRules {
    private RequestRules() {}

    /** The fault of the request, or null. */
    static @Nullable GatewayException fault(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return decoderFault(request.decoderResult().cause());
        }
        HttpVersion version = request.protocolVersion();
        boolean http10 = version.equals(HttpVersion.HTTP_1_0);
        if (!http10 && !version.equals(HttpVersion.HTTP_1_1)) {
            return bad("version: " + version.protocolName() + " (expected: HTTP/1.1)");
        }
        HttpHeaders headers = request.headers();
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.size() > 1 || (hosts.isEmpty() && !http10)) {
            return bad("Host: " + hosts.size() + " headers (expected: one)");
        }
        if (!hosts.isEmpty() && !hosts.get(0).chars().allMatch(RequestRules::mayStandInHost)) {
            return bad("Host: not understood (expected: host or host:port)");
        }
        List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!codings.isEmpty()) {
            if (http10 || codings.size() > 1 || !codings.get(0).trim().equalsIgnoreCase("chunked")) {
                return bad("Transfer-Encoding: not understood (expected: chunked, once, in HTTP/1.1)");
            }
            if (headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
                return bad("both Content-Length and Transfer-Encoding");
            }
        }
        return lengthFault(headers.getAll(HttpHeaderNames.CONTENT_LENGTH));
    }

    /** RFC 3986, section 3.2; also catches a header that was folded into it. */
    private static boolean mayStandInHost(int c) {
        return c > 0x20 && c < 0x7F && "/?#@\\<>\"^`{|}".indexOf(c) < 0;
    }

    private static @Nullable GatewayException lengthFault(List<String> lengths) {
        if (lengths.isEmpty()) {
            return null;
        }
        String value = lengths.get(0);
        boolean digits =
                !value.isEmpty() && value.length() <= 18 && value.chars().allMatch(c -> c >= '0' && c <= '9');
        return lengths.size() == 1 && digits ? null : bad("Content-Length: not understood (expected: one number)");
    }

    static GatewayException decoderFault(@Nullable Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return new GatewayException(
                    ErrorCode.URI_TOO_LONG, "request line: too long (limit: --max-request-line-size)");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return new GatewayException(ErrorCode.HEADERS_TOO_LARGE, "headers: too large (limit: --max-header-size)");
        }
        return bad("not a well-formed HTTP/1.1 request");
    }

    private static GatewayException bad(String message) {
        return new GatewayException(ErrorCode.INVALID_REQUEST, message);
    }
}
