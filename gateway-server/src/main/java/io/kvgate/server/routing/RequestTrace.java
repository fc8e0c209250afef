package io.kvgate.server.routing;

import org.jspecify.annotations.Nullable;

/**
 * What is noted of one request on its way, for its access-log line and meters.
 *
 * <p>Threading: confined to the request's event loop. Times in nanoseconds, −1 while there is none.
 */
public final class RequestTrace {
    private @Nullable String model;
    private long receivedNanos = -1;
    private long requestBytes;
    private boolean stream;
    private @Nullable String workerId;
    private String policy = "";
    private String reason = "";
    private int attempts;
    private String detail = "";
    private long firstByteNanos = -1;
    private long responseBytes;
    private long promptTokens = -1;
    private long completionTokens = -1;
    private long cachedTokens = -1;
    private boolean errorInStream;

    public void request(@Nullable String requestedModel, boolean streaming) {
        model = requestedModel;
        stream = streaming;
    }

    /** The whole request is there. */
    public void received(long bytes, long nowNanos) {
        requestBytes = bytes;
        receivedNanos = nowNanos;
    }

    /** When the last byte of the request was there. */
    public long receivedNanos() {
        return receivedNanos;
    }

    public long requestBytes() {
        return requestBytes;
    }

    void chosen(String worker, String policyName, String policyReason) {
        workerId = worker;
        policy = policyName;
        reason = policyReason;
        attempts++;
    }

    /** The policy chose nobody. */
    void refused(String policyName, String policyReason) {
        policy = policyName;
        reason = policyReason;
    }

    /** How the last choice fell, in the words of {@code x-kvgate-decision}; empty if there was none. */
    public String decision() {
        return policy.isEmpty() ? "" : "policy=" + policy + "; reason=" + reason + "; attempt=" + attempts;
    }

    /** What the log is told beyond what the client is told. */
    public void detail(String text) {
        detail = text;
    }

    void relayed(int bytes, long nowNanos) {
        if (firstByteNanos < 0) {
            firstByteNanos = nowNanos;
        }
        responseBytes += bytes;
    }

    /** Body bytes of an answer that the gateway made. */
    public void answered(int bytes) {
        responseBytes += bytes;
    }

    void usage(long prompt, long completion, long cached) {
        promptTokens = prompt;
        completionTokens = completion;
        cachedTokens = cached;
    }

    void errorInStream() {
        errorInStream = true;
    }

    /** The body's model; null if none. */
    public @Nullable String model() {
        return model;
    }

    public boolean stream() {
        return stream;
    }

    public @Nullable String workerId() {
        return workerId;
    }

    public String policy() {
        return policy;
    }

    public String reason() {
        return reason;
    }

    public int attempts() {
        return attempts;
    }

    public String detail() {
        return detail;
    }

    public long firstByteNanos() {
        return firstByteNanos;
    }

    public long responseBytes() {
        return responseBytes;
    }

    public long promptTokens() {
        return promptTokens;
    }

    public long completionTokens() {
        return completionTokens;
    }

    public long cachedTokens() {
        return cachedTokens;
    }

    /** The worker answered 200 and sent an error as its first event. */
    public boolean hasErrorInStream() {
        return errorInStream;
    }
}
