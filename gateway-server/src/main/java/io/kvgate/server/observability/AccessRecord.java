package io.kvgate.server.observability;

import org.jspecify.annotations.Nullable;

/**
 * What one access-log line tells. Times in nanoseconds, −1 where there is none.
 *
 * @param requestId the request's id
 * @param remote the client's address
 * @param method HTTP method
 * @param path path without query
 * @param status status sent to the client; 0 if none was
 * @param outcome {@code completed}, {@code failed}, {@code client_aborted} or {@code rejected}
 * @param cause error code, phase of the abort, or empty
 * @param detail the gateway's error message, with what clients are not told (address, exception); empty if none
 * @param model the request's model; null if none
 * @param stream whether a stream was asked for
 * @param workerId of the last attempt; null if none was made
 * @param policy the policy's name; empty if none was asked
 * @param reason the policy's reason; empty if none
 * @param attempts attempts made
 * @param durationNanos from the request head to the end
 * @param firstByteNanos from the request head to the first byte of the answer's body
 * @param requestBytes body bytes received
 * @param responseBytes body bytes relayed
 * @param promptTokens as the engine reported; −1 if it did not
 * @param completionTokens as the engine reported; −1 if it did not
 * @param cachedTokens as the engine reported; −1 if it did not
 */
public record AccessRecord(
        String requestId,
        String remote,
        String method,
        String path,
        int status,
        String outcome,
        String cause,
        String detail,
        @Nullable String model,
        boolean stream,
        @Nullable String workerId,
        String policy,
        String reason,
        int attempts,
        long durationNanos,
        long firstByteNanos,
        long requestBytes,
        long responseBytes,
        long promptTokens,
        long completionTokens,
        long cachedTokens) {}
