package io.kvgate.server.routing;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;

/**
 * A client's request head.
 *
 * @param method the method
 * @param path without query
 * @param target path and query as received, origin form
 * @param headers as received
 * @param http10 whether the client speaks HTTP/1.0
 * @param remoteAddress the client's IP address, without port
 * @param requestId the id of this request
 * @param arrivedNanos when the head was there
 */
public record RequestHead(
        HttpMethod method,
        String path,
        String target,
        HttpHeaders headers,
        boolean http10,
        String remoteAddress,
        String requestId,
        long arrivedNanos) {
    boolean isHead() {
        return method.equals(HttpMethod.HEAD);
    }
}
