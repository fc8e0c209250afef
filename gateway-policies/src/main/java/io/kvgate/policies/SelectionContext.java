package io.kvgate.policies;

import io.kvgate.core.request.InferenceRequest;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RoutingKeys;

/**
 * What a policy may know of the request besides the candidates, and where it leaves the reason of its choice.
 *
 * <p>Threading: confined to the request's event loop.
 */
public final class SelectionContext {
    private final InferenceRequest request;
    private Prompt prompt = Prompt.NONE;
    private String reason = "";

    public SelectionContext(InferenceRequest request) {
        this.request = request;
    }

    public InferenceRequest request() {
        return request;
    }

    public RoutingKeys keys() {
        return request.keys();
    }

    /** What prefix policies work on; {@link Prompt#NONE} unless a policy in force asks for it. Valid during a selection only. */
    public Prompt prompt() {
        return prompt;
    }

    /** Set before a selection; {@link Prompt#NONE} after it. */
    public void prompt(Prompt current) {
        prompt = current;
    }

    /** Why the last choice fell as it did: a short word from a closed set per policy. */
    public String reason() {
        return reason;
    }

    public void reason(String word) {
        reason = word;
    }
}
