package io.kvgate.policies;

import io.kvgate.core.request.InferenceRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a policy may know of the request besides the candidates, and where it leaves the reason of its choice.
 *
 * <p>Threading: confined to the request's event loop.
 */
public final class SelectionContext {
    private final InferenceRequest request;
    private final @Nullable String targetWorker;
    private String reason = "";

    /** @param targetWorker the header {@code X-SMG-Target-Worker}; null if absent or empty */
    public SelectionContext(InferenceRequest request, @Nullable String targetWorker) {
        this.request = request;
        this.targetWorker = targetWorker;
    }

    public InferenceRequest request() {
        return request;
    }

    public @Nullable String targetWorker() {
        return targetWorker;
    }

    /** Why the last choice fell as it did: a short word from a closed set per policy. */
    public String reason() {
        return reason;
    }

    public void reason(String word) {
        reason = word;
    }
}
