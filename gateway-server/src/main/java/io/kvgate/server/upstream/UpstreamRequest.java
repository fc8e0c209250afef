package io.kvgate.server.upstream;

import io.netty.buffer.ByteBuf;

/**
 * What is sent to a worker.
 *
 * @param head the encoded request line and headers, blank line included; the client takes it over
 * @param body the body as received, borrowed: what is written are retained duplicates; readable bytes may be 0
 * @param headRequest whether the method is HEAD, whose response has no body
 */
public record UpstreamRequest(ByteBuf head, ByteBuf body, boolean headRequest) {}
