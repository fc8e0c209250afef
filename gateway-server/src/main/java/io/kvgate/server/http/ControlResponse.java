package io.kvgate.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An answer of the gateway's own API.
 *
 * @param status HTTP status
 * @param contentType value of {@code Content-Type}
 * @param body the bytes; the array is the receiver's
 * @param headers further headers, as {@code Location}
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not shared
public record ControlResponse(int status, String contentType, byte[] body, Map<String, String> headers) {
    public static ControlResponse json(int status, byte[] body) {
        return new ControlResponse(status, "application/json", body, Map.of());
    }

    public static ControlResponse text(int status, String text) {
        return new ControlResponse(
                status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), Map.of());
    }
}
