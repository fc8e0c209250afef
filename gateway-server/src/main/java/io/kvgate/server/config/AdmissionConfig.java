package io.kvgate.server.config;

import java.time.Duration;

/**
 * Limits that are checked before a request's body is read.
 *
 * @param maxConcurrentRequests requests under way at once; 0 or below: no limit
 * @param queueSize requests that may wait for a permit; 0: none
 * @param queueTimeout how long one may wait
 * @param tokensPerSecond rate of requests; 0: no limit of rate
 * @param maxBufferedBodyBytes bytes of request bodies held at once, over all requests; 0: half of the direct memory
 */
public record AdmissionConfig(
        int maxConcurrentRequests,
        int queueSize,
        Duration queueTimeout,
        double tokensPerSecond,
        long maxBufferedBodyBytes) {
    public static final AdmissionConfig DEFAULT = new AdmissionConfig(-1, 100, Duration.ofSeconds(60), 0, 0);

    public AdmissionConfig {
        Check.atLeast("queueSize", queueSize, 0);
        Check.notNegative("queueTimeout", queueTimeout);
        Check.atLeast("maxBufferedBodyBytes", maxBufferedBodyBytes, 0);
        if (!(tokensPerSecond >= 0 && tokensPerSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "tokensPerSecond: " + tokensPerSecond + " (expected: finite, 0 or more)");
        }
    }
}
