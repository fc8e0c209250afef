package io.kvgate.bench.engine.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns bodies into {@link ApiRequest}s, and refuses what the engine would refuse with an {@link ApiException}.
 *
 * <p>Threading: confined to the engine's event loop; it numbers the requests.
 */
public final class ApiRequestParser {
    private static final int DEFAULT_MAX_TOKENS = 16;
    private static final int BAD_REQUEST = 400;

    private final ObjectMapper mapper = new ObjectMapper();
    private final EngineFlavour flavour;
    private final List<String> models;
    private final int maxModelTokens;
    private final PromptReader prompts = new PromptReader();
    private long sequence;

    public ApiRequestParser(EngineFlavour flavour, List<String> models, int maxModelTokens) {
        this.flavour = flavour;
        this.models = List.copyOf(models);
        this.maxModelTokens = maxModelTokens;
    }

    /** Parses a JSON object. */
    public JsonNode parseObject(byte[] body) {
        JsonNode node;
        try {
            node = mapper.readTree(body);
        } catch (JsonProcessingException e) {
            throw new ApiException(BAD_REQUEST, "JSON decode error: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new ApiException(BAD_REQUEST, "JSON decode error: " + e.getMessage());
        }
        if (node == null || !node.isObject()) {
            throw new ApiException(BAD_REQUEST, "body: Input should be a valid dictionary or object");
        }
        return node;
    }

    /**
     * Parses a request for inference.
     *
     * @param headerDpRank data-parallel rank of the request's headers, or -1
     */
    public ApiRequest parse(InferenceApi api, byte[] bytes, int headerDpRank) {
        JsonNode body = parseObject(bytes);
        String model = model(body);
        List<int[]> tokens = new ArrayList<>(prompts.read(api, body));
        tokens.replaceAll(prompt -> prompt.length == 0 ? new int[] {1} : prompt);
        JsonNode limit = limit(api, body);
        boolean limitGiven = limit.isNumber();
        int maxTokens = api.generates() ? limit.asInt(DEFAULT_MAX_TOKENS) : 1;
        if (maxTokens < 1) {
            throw new ApiException(BAD_REQUEST, "max_tokens must be at least 1, got " + maxTokens + ".");
        }
        ApiRequest request = new ApiRequest(
                api,
                body.path("rid").isTextual() ? body.path("rid").textValue() : nextId(api),
                model,
                tokens,
                maxTokens,
                limitGiven,
                api.generates() && body.path("stream").asBoolean(false),
                body.path("stream_options").path("include_usage").asBoolean(false),
                dpRank(body, headerDpRank),
                body);
        return fit(request);
    }

    private ApiRequest fit(ApiRequest request) {
        int longest = 0;
        for (int[] prompt : request.prompts()) {
            longest = Math.max(longest, prompt.length);
        }
        int room = maxModelTokens - longest;
        if (room >= request.maxTokens()) {
            return request;
        }
        if (room >= 1 && !request.limitGiven()) {
            return request.withMaxTokens(room);
        }
        throw new ApiException(
                BAD_REQUEST,
                "This model's maximum context length is " + maxModelTokens + " tokens. However, you requested "
                        + (longest + (long) request.maxTokens()) + " tokens (" + longest + " in the messages, "
                        + request.maxTokens() + " in the completion). Please reduce the length of the messages or"
                        + " completion.");
    }

    private String model(JsonNode body) {
        JsonNode asked = body.path("model");
        if (!asked.isTextual() || asked.textValue().isEmpty()) {
            return models.get(0);
        }
        // SGLang serves one model and takes any name for it.
        if (flavour == EngineFlavour.VLLM && !models.contains(asked.textValue())) {
            throw new ApiException(404, "The model `" + asked.textValue() + "` does not exist.");
        }
        return asked.textValue();
    }

    private static JsonNode limit(InferenceApi api, JsonNode body) {
        return switch (api) {
            case CHAT -> {
                JsonNode newer = body.path("max_completion_tokens");
                yield newer.isNumber() ? newer : body.path("max_tokens");
            }
            case GENERATE -> {
                JsonNode sampling = body.path("sampling_params");
                yield (sampling.isArray() ? sampling.path(0) : sampling).path("max_new_tokens");
            }
            case RESPONSES -> body.path("max_output_tokens");
            default -> body.path("max_tokens");
        };
    }

    private static int dpRank(JsonNode body, int headerDpRank) {
        for (String field : List.of("routed_dp_rank", "data_parallel_rank")) {
            if (body.path(field).isInt()) {
                return body.path(field).intValue();
            }
        }
        return headerDpRank;
    }

    private String nextId(InferenceApi api) {
        String prefix =
                switch (api) {
                    case CHAT -> "chatcmpl-";
                    case COMPLETIONS -> "cmpl-";
                    case GENERATE -> "";
                    case RESPONSES -> "resp_";
                    case MESSAGES -> "msg_";
                    case EMBEDDINGS -> "embd-";
                    case RERANK -> "rerank-";
                    case SCORE -> "score-";
                    case CLASSIFY -> "classify-";
                };
        return prefix + String.format("%016x", ++sequence);
    }
}
