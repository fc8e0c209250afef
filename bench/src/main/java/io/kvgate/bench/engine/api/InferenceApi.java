package io.kvgate.bench.engine.api;

import org.jspecify.annotations.Nullable;

/** The paths that make an engine compute. */
public enum InferenceApi {
    CHAT(true, "/v1/chat/completions"),
    COMPLETIONS(true, "/v1/completions"),
    GENERATE(true, "/generate"),
    RESPONSES(true, "/v1/responses"),
    MESSAGES(true, "/v1/messages"),
    EMBEDDINGS(false, "/v1/embeddings"),
    RERANK(false, "/v1/rerank"),
    SCORE(false, "/v1/score"),
    CLASSIFY(false, "/v1/classify");

    private static final String VERSION = "/v1";

    private final boolean generates;
    private final String path;

    InferenceApi(boolean generates, String path) {
        this.generates = generates;
        this.path = path;
    }

    /** The main path. Rerank, score and classify are served without their {@code /v1} too. */
    public String path() {
        return path;
    }

    /** Whether it writes text; the others read their input only. */
    public boolean generates() {
        return generates;
    }

    /** The API behind a path without its query, or null. vLLM has no {@code /generate}. */
    public static @Nullable InferenceApi of(String path, EngineFlavour flavour) {
        for (InferenceApi api : values()) {
            boolean shortPath = !api.generates && api != EMBEDDINGS && api.path.equals(VERSION + path);
            if (shortPath || api.path.equals(path)) {
                return api == GENERATE && flavour == EngineFlavour.VLLM ? null : api;
            }
        }
        return null;
    }
}
