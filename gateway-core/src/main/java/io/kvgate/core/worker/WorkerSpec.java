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
    public WorkerSpec {
        labels = Map.copyOf(labels);
    }

    /** A regular worker with defaults. */
    public static WorkerSpec of(URI url) {
        return new WorkerSpec(url, WorkerRole.REGULAR, null, null, 50, 1.0, Map.of(), null, HealthSettings.DEFAULT);
    }
}
