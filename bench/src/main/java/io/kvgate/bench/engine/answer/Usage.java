package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Token counts of an answer, in the two spellings in use. */
record Usage(int promptTokens, int cachedTokens, int completionTokens) {

    /** Chat and completions. */
    void put(ObjectNode parent) {
        ObjectNode usage = parent.putObject("usage");
        usage.put("prompt_tokens", promptTokens);
        usage.put("total_tokens", promptTokens + completionTokens);
        usage.put("completion_tokens", completionTokens);
        usage.putObject("prompt_tokens_details").put("cached_tokens", cachedTokens);
    }

    /** The responses API. */
    void putInputOutput(ObjectNode parent) {
        ObjectNode usage = parent.putObject("usage");
        usage.put("input_tokens", promptTokens);
        usage.putObject("input_tokens_details").put("cached_tokens", cachedTokens);
        usage.put("output_tokens", completionTokens);
        usage.putObject("output_tokens_details").put("reasoning_tokens", 0);
        usage.put("total_tokens", promptTokens + completionTokens);
    }
}
