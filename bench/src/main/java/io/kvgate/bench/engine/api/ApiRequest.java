package io.kvgate.bench.engine.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A body the engine understood.
 *
 * @param id the request's id, the caller's {@code rid} if it sent one
 * @param model the name to answer with
 * @param prompts token ids of each prompt; several for a batch
 * @param maxTokens output tokens per prompt
 * @param limitGiven whether the caller set that limit; an answer that reaches its own limit ends with "length"
 * @param includeUsage whether a stream ends with a usage event
 * @param dpRank the data-parallel rank asked for, or -1
 * @param body the parsed body
 */
public record ApiRequest(
        InferenceApi api,
        String id,
        String model,
        List<int[]> prompts,
        int maxTokens,
        boolean limitGiven,
        boolean stream,
        boolean includeUsage,
        int dpRank,
        JsonNode body) {

    public ApiRequest {
        prompts = List.copyOf(prompts);
    }

    /** The same request for another number of output tokens. */
    ApiRequest withMaxTokens(int tokens) {
        return new ApiRequest(api, id, model, prompts, tokens, limitGiven, stream, includeUsage, dpRank, body);
    }
}
