package io.kvgate.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets browsers call from the allowed origins.
 *
 * <p>Threading: immutable.
 */
final class Cors {
    private static final String ANY = "*";

    private final List<String> origins;

    /** @param origins empty: any */
    Cors(List<String> origins) {
        this.origins = origins;
    }

    /** Adds what a response to this request must say; nothing if no browser asks. */
    void decorate(@Nullable String origin, HttpHeaders response) {
        if (origin == null) {
            return;
        }
        if (origins.isEmpty()) {
            response.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
            response.set(HttpHeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS, ANY);
        } else {
            response.add(HttpHeaderNames.VARY, "Origin");
            if (origins.contains(origin)) {
                response.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
                response.set(HttpHeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS, "x-request-id, x-kvgate-worker");
            }
        }
    }

    /** The answer to a preflight request. */
    ControlResponse preflight() {
        return new ControlResponse(
                204,
                "",
                new byte[0],
                Map.of(
                        "access-control-allow-methods", "GET, POST, PUT, DELETE, OPTIONS",
                        "access-control-allow-headers",
                                origins.isEmpty()
                                        ? "*, authorization"
                                        : "content-type, authorization, x-request-id, x-smg-routing-key",
                        "access-control-max-age", "3600"));
    }
}
