package io.kvgate.core.worker;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an operator says of a worker. Changing it (PUT) makes a new spec; the {@link Worker} and its state stay.
 *
 * @param url base URL, {@code http} or {@code https}, with host and explicit port, without trailing slash, query or fragment
 * @param role what it serves
 * @param modelId overrides what the engine says; null: ask the engine
 * @param apiKey bearer key the worker wants; null: none. Never printed.
 * @param priority 0 to 100, 50 by default; a label for the API
 * @param cost 1.0 by default; a label for the API
 * @param labels the operator's labels
 * @param bootstrapPort of a prefill worker; null: none
 * @param health probe settings
 */
public record WorkerSpec(
        URI url,
        WorkerRole role,
        @Nullable String modelId,
        @Nullable String apiKey,
        int priority,
        double cost,
        Map<String, String> labels,
        @Nullable Integer bootstrapPort,
        HealthSettings health) {
    /** Brings the URL into its normal form. @throws io.kvgate.core.error.GatewayException INVALID_REQUEST if that can't be */
    public WorkerSpec {
        url = WorkerUrl.normalize(url);
        labels = Map.copyOf(labels);
        if (priority < 0 || priority > 100) {
            throw new IllegalArgumentException("priority: " + priority + " (expected: 0 to 100)");
        }
        if (!(cost >= 0.0 && cost < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("cost: " + cost + " (expected: finite, >= 0)");
        }
        if (modelId != null && modelId.isBlank()) {
            throw new IllegalArgumentException("modelId: blank (expected: a name, or null)");
        }
        if (bootstrapPort != null && (bootstrapPort < 1 || bootstrapPort > 65_535)) {
            throw new IllegalArgumentException("bootstrapPort: " + bootstrapPort + " (expected: 1 to 65535)");
        }
    }

    /** The same worker, probed otherwise. */
    public WorkerSpec withHealth(HealthSettings settings) {
        return new WorkerSpec(url, role, modelId, apiKey, priority, cost, labels, bootstrapPort, settings);
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "WorkerSpec[url=" + url + ", role=" + role + ", modelId=" + modelId + ", apiKey="
                + (apiKey == null ? "none" : "set") + ", priority=" + priority + ", cost=" + cost + ", labels=" + labels
                + ", bootstrapPort=" + bootstrapPort + ", health=" + health + "]";
    }

    /** A regular worker with defaults. */
    public static WorkerSpec of(URI url) {
        return new WorkerSpec(url, WorkerRole.REGULAR, null, null, 50, 1.0, Map.of(), null, HealthSettings.DEFAULT);
    }
}
