package io.kvgate.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * What a well-formed request head says of its body and connection.
 *
 * @param contentLength bytes; −1 if the body is chunked; 0 if there is none
 * @param contentEncoding null if none
 * @param expect null if none, or in HTTP/1.0, which has no interim answers
 * @param keepAlive whether the client would use the connection again
 */
record RequestFacts(
        long contentLength,
        @Nullable String contentEncoding,
        @Nullable String expect,
        boolean keepAlive) {
    /** Small enough to be read and thrown away rather than to end the connection. */
    private static final int MAX_DISCARDED_BYTES = 262_144;

    static RequestFacts of(HttpRequest request) {
        HttpHeaders headers = request.headers();
        String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
        long bytes = length == null ? 0 : Long.parseLong(length);
        boolean http10 = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
        boolean keepAlive = http10
                ? headers.containsValue(HttpHeaderNames.CONNECTION, "keep-alive", true)
                : HttpUtil.isKeepAlive(request);
        return new RequestFacts(
                headers.contains(HttpHeaderNames.TRANSFER_ENCODING) ? -1 : bytes,
                headers.get(HttpHeaderNames.CONTENT_ENCODING),
                http10 ? null : headers.get(HttpHeaderNames.EXPECT),
                keepAlive);
    }

    /** Whether what is left of the body may be read and thrown away after an early answer. */
    boolean discardable() {
        return contentLength >= 0 && contentLength <= MAX_DISCARDED_BYTES && expect == null;
    }
}
