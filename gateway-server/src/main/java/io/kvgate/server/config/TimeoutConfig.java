package io.kvgate.server.config;

import java.time.Duration;

/**
 * Limits of one exchange with a worker. Zero turns a limit off.
 *
 * @param connect until the connection stands
 * @param head from the sent request to the response head
 * @param streamIdle between two reads of a response body
 * @param total from the parsed request to the end of the answer, retries included
 */
public record TimeoutConfig(Duration connect, Duration head, Duration streamIdle, Duration total) {
    public static final TimeoutConfig DEFAULT = new TimeoutConfig(
            Duration.ofSeconds(10), Duration.ofSeconds(1800), Duration.ofSeconds(600), Duration.ofSeconds(1800));

    public TimeoutConfig {
        Check.notNegative("connect", connect);
        Check.notNegative("head", head);
        Check.notNegative("streamIdle", streamIdle);
        Check.notNegative("total", total);
    }
}
