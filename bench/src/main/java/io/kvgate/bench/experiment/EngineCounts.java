package io.kvgate.bench.experiment;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * What an engine's own {@code /metrics} say, summed over its ranks.
 *
 * @param promptTokens of admitted requests
 * @param cachedTokens of these, found in the prefix cache
 */
record EngineCounts(long promptTokens, long cachedTokens) {
    private static final String PROMPT = "vllm:prompt_tokens_total";
    private static final String CACHED = "vllm:prefix_cache_hits_total";
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int OK = 200;

    /** Asks an engine. */
    static EngineCounts of(HttpClient client, URI engine) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(engine.resolve("/metrics"))
                .timeout(PATIENCE)
                .build();
        HttpResponse<String> page = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (page.statusCode() != OK) {
            throw new IOException(engine + "/metrics: status " + page.statusCode());
        }
        return parse(page.body());
    }

    static EngineCounts parse(String page) {
        return new EngineCounts(sum(page, PROMPT), sum(page, CACHED));
    }

    EngineCounts minus(EngineCounts before) {
        return new EngineCounts(promptTokens - before.promptTokens, cachedTokens - before.cachedTokens);
    }

    EngineCounts plus(EngineCounts other) {
        return new EngineCounts(promptTokens + other.promptTokens, cachedTokens + other.cachedTokens);
    }

    private static long sum(String page, String name) {
        return (long) page.lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
