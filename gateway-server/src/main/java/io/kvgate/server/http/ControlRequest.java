package io.kvgate.server.http;

import java.util.Map;

/**
 * A request to the gateway's own API.
 *
 * @param method upper case
 * @param path without query, as received
 * @param query without the question mark; empty if there is none
 * @param headers lower-case names; the last value of a repeated one
 * @param body the whole body, at most {@value #MAX_BODY_BYTES} bytes; the array is the receiver's
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not shared
public record ControlRequest(String method, String path, String query, Map<String, String> headers, byte[] body) {
    /** Larger bodies are answered 413 before the route sees them. */
    public static final int MAX_BODY_BYTES = 1 << 20;
}
