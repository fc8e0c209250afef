package io.kvgate.server.routing;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.concurrent.TimeUnit;

/** Reads {@code Retry-After} in its form of whole seconds; a date is not looked at. */
final class RetryAfter {
    /** No worker is believed when it asks for more. */
    private static final long MAX_SECONDS = 3_600;

    private RetryAfter() {}

    /** Nanoseconds; 0 if there is none, or none that can be read. */
    static long nanos(HttpHeaders headers) {
        String value = headers.get(HttpHeaderNames.RETRY_AFTER, "").trim();
        if (value.isEmpty() || value.length() > 6 || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return 0;
        }
        return TimeUnit.SECONDS.toNanos(Math.min(Long.parseLong(value), MAX_SECONDS));
    }
}
