package io.kvgate.bench.experiment;

/**
 * What engines' own {@code /metrics} say, summed over ranks.
 *
 * @param promptTokens of admitted requests
 * @param cachedTokens of these, found in the prefix cache
 */
record EngineCounts(long promptTokens, long cachedTokens) {
    private static final String PROMPT = "vllm:prompt_tokens_total";
    private static final String CACHED = "vllm:prefix_cache_hits_total";

    static EngineCounts of(MetricsPage page) {
        return new EngineCounts(page.sum(PROMPT), page.sum(CACHED));
    }

    EngineCounts minus(EngineCounts before) {
        return new EngineCounts(promptTokens - before.promptTokens, cachedTokens - before.cachedTokens);
    }

    EngineCounts plus(EngineCounts other) {
        return new EngineCounts(promptTokens + other.promptTokens, cachedTokens + other.cachedTokens);
    }
}
