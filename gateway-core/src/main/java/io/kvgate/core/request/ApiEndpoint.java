package io.kvgate.core.request;

/** The inference endpoints that reach a worker. */
public enum ApiEndpoint {
    CHAT_COMPLETIONS("/v1/chat/completions", "chat"),
    COMPLETIONS("/v1/completions", "completions"),
    GENERATE("/generate", "generate"),
    RESPONSES("/v1/responses", "responses"),
    MESSAGES("/v1/messages", "messages"),
    EMBEDDINGS("/v1/embeddings", "embeddings"),
    CLASSIFY("/v1/classify", "classify"),
    RERANK("/v1/rerank", "rerank"),
    /** The older spelling; sent on as {@code /v1/rerank}'s twin, path unchanged. */
    RERANK_LEGACY("/rerank", "rerank"),
    SCORE("/v1/score", "score"),
    TOKENIZE("/tokenize", "tokenize"),
    DETOKENIZE("/detokenize", "detokenize"),
    TOKENIZE_V1("/v1/tokenize", "tokenize"),
    DETOKENIZE_V1("/v1/detokenize", "detokenize");

    private final String path;
    private final String label;

    ApiEndpoint(String path, String label) {
        this.path = path;
        this.label = label;
    }

    /** The path, without a query. */
    public String path() {
        return path;
    }

    /** The value of the metric label {@code endpoint}. */
    public String label() {
        return label;
    }
}
