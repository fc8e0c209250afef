package io.kvgate.server.upstream;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;

/** How a response's body is framed (RFC 9112, section 6.3), and whether its connection may serve again. */
final class ResponseFramingRule {
    private ResponseFramingRule() {}

    /** Refuses what two readers could understand in two ways. */
    static BodyFraming framing(HttpResponse response, boolean headRequest) throws BodyFraming.FramingException {
        HttpVersion version = response.protocolVersion();
        if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
            throw new BodyFraming.FramingException("not HTTP/1.1");
        }
        int status = response.status().code();
        if (status < 200 && status != 101) {
            throw new BodyFraming.FramingException("no final status");
        }
        if (status == 101) {
            throw new BodyFraming.FramingException("unasked protocol switch");
        }
        HttpHeaders headers = response.headers();
        List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        List<String> lengths = headers.getAll(HttpHeaderNames.CONTENT_LENGTH);
        if (!codings.isEmpty() && !lengths.isEmpty()) {
            throw new BodyFraming.FramingException("both Content-Length and Transfer-Encoding");
        }
        long length = lengths.isEmpty() ? -1 : length(lengths);
        if (headRequest || status == 204 || status == 304) {
            return BodyFraming.none();
        }
        if (!codings.isEmpty()) {
            if (codings.size() != 1 || !codings.get(0).trim().equalsIgnoreCase("chunked")) {
                throw new BodyFraming.FramingException("Transfer-Encoding other than chunked");
            }
            return BodyFraming.chunked();
        }
        return length >= 0 ? BodyFraming.length(length) : BodyFraming.untilClose();
    }

    private static long length(List<String> values) throws BodyFraming.FramingException {
        String first = values.get(0).trim();
        for (String value : values) {
            if (!value.trim().equals(first)) {
                throw new BodyFraming.FramingException("different Content-Length values");
            }
        }
        boolean digits = !first.isEmpty() && first.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!digits || first.length() > 18) {
            throw new BodyFraming.FramingException("Content-Length is no length");
        }
        return Long.parseLong(first);
    }

    static boolean keepAlive(HttpResponse response, BodyFraming framing) {
        boolean http11 = response.protocolVersion().equals(HttpVersion.HTTP_1_1);
        boolean told = http11 || response.headers().containsValue(HttpHeaderNames.CONNECTION, "keep-alive", true);
        return told && HttpUtil.isKeepAlive(response) && framing.kind() != BodyFraming.Kind.UNTIL_CLOSE;
    }
}
