package io.kvgate.core.worker;

import java.util.List;
import java.util.Map;

/**
 * What an engine told about itself at registration.
 *
 * @param modelIds names the engine serves, the main one first; empty if it did not say
 * @param engine {@code vllm}, {@code sglang} or {@code unknown}
 * @param dpSize data-parallel ranks behind the URL, at least 1
 * @param kvPoolTokens tokens the KV pool holds; 0 if unknown
 * @param labels what else it said (model_path, tp_size, model_type …), for the workers API
 */
public record WorkerMetadata(
        List<String> modelIds, String engine, int dpSize, long kvPoolTokens, Map<String, String> labels) {
    /** Nothing is known yet. */
    public static final WorkerMetadata UNKNOWN = new WorkerMetadata(List.of(), "unknown", 1, 0, Map.of());

    public WorkerMetadata {
        modelIds = List.copyOf(modelIds);
        labels = Map.copyOf(labels);
        if (dpSize < 1) {
            throw new IllegalArgumentException("dpSize: " + dpSize + " (expected: >= 1)");
        }
        if (kvPoolTokens < 0) {
            throw new IllegalArgumentException("kvPoolTokens: " + kvPoolTokens + " (expected: >= 0)");
        }
    }
}
