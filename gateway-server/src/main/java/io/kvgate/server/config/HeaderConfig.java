package io.kvgate.server.config;

import java.util.List;

/**
 * What is done to headers.
 *
 * @param requestIdHeaders where a client's request id is looked for, in order; lower case
 * @param deniedRequestHeaders end-to-end headers that are not passed on to workers; lower case
 * @param corsAllowedOrigins origins that browsers may call from; empty: any
 */
public record HeaderConfig(
        List<String> requestIdHeaders, List<String> deniedRequestHeaders, List<String> corsAllowedOrigins) {
    public static final HeaderConfig DEFAULT = new HeaderConfig(
            List.of("x-request-id", "x-correlation-id", "x-trace-id", "request-id"), List.of("cookie"), List.of());

    public HeaderConfig {
        requestIdHeaders = List.copyOf(requestIdHeaders);
        deniedRequestHeaders = List.copyOf(deniedRequestHeaders);
        corsAllowedOrigins = List.copyOf(corsAllowedOrigins);
    }
}
