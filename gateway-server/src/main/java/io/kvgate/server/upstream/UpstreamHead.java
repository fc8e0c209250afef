package io.kvgate.server.upstream;

import io.netty.handler.codec.http.HttpHeaders;

/**
 * A worker's response head.
 *
 * @param status 200 to 599 (interim answers are swallowed)
 * @param reason the reason phrase as sent; may be empty
 * @param headers as sent, hop-by-hop ones included
 * @param framing the tracker of the body that follows; only to be read
 */
public record UpstreamHead(int status, String reason, HttpHeaders headers, BodyFraming framing) {}
