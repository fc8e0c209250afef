package io.kvgate.bench.engine.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;

/** Finds the prompts in a body: texts, token ids, conversations, or pairs of texts. */
public final class PromptReader {
    private static final int BAD_REQUEST = 400;

    List<int[]> read(InferenceApi api, JsonNode body) {
        return switch (api) {
            case CHAT -> List.of(conversation(body, "messages"));
            case MESSAGES -> List.of(messages(body));
            case RESPONSES -> List.of(responses(body));
            case COMPLETIONS -> textsOrTokens(body, "prompt");
            case GENERATE -> textsOrTokens(body, body.has("input_ids") ? "input_ids" : "text");
            case EMBEDDINGS, CLASSIFY -> textsOrTokens(body, "input");
            case RERANK -> pairs(required(body, "query"), required(body, "documents"));
            case SCORE ->
                body.has("text_1")
                        ? pairs(required(body, "text_1"), required(body, "text_2"))
                        : pairs(required(body, "query"), required(body, "items"));
        };
    }

    /** Token ids of {@code messages} as a conversation, or of {@code prompt} or {@code text} as they are. */
    public static int[] tokenizeBody(JsonNode body) {
        if (body.has("messages")) {
            return conversation(body, "messages");
        }
        JsonNode text = body.has("prompt") ? body.path("prompt") : body.path("text");
        if (!text.isTextual()) {
            throw missing("prompt");
        }
        return ByteTokenizer.tokenize(text.textValue());
    }

    /** The ids of an array of non-negative integers. */
    public static int[] tokenIds(JsonNode array) {
        int[] tokens = new int[array.size()];
        for (int i = 0; i < tokens.length; i++) {
            JsonNode token = array.get(i);
            if (!token.canConvertToInt() || !token.isIntegralNumber() || token.intValue() < 0) {
                throw new ApiException(BAD_REQUEST, "token ids: Input should be a valid integer");
            }
            tokens[i] = token.intValue();
        }
        return tokens;
    }

    private static int[] conversation(JsonNode body, String field) {
        JsonNode messages = required(body, field);
        if (!messages.isArray() || messages.isEmpty()) {
            throw new ApiException(BAD_REQUEST, field + ": List should have at least 1 item");
        }
        return ChatTemplate.tokenize(messages);
    }

    private static int[] messages(JsonNode body) {
        JsonNode messages = required(body, "messages");
        required(body, "max_tokens");
        ChatTemplate template = new ChatTemplate();
        if (body.has("system")) {
            template.add("system", body.path("system"));
        }
        for (JsonNode message : messages) {
            template.add(message.path("role").asText("user"), message.path("content"));
        }
        return template.finish();
    }

    private static int[] responses(JsonNode body) {
        JsonNode input = required(body, "input");
        ChatTemplate template = new ChatTemplate();
        if (body.path("instructions").isTextual()) {
            template.add("system", body.path("instructions"));
        }
        if (input.isTextual()) {
            template.add("user", input);
        } else {
            for (JsonNode item : input) {
                template.add(item.path("role").asText("user"), item.path("content"));
            }
        }
        return template.finish();
    }

    private static List<int[]> textsOrTokens(JsonNode body, String field) {
        JsonNode value = required(body, field);
        if (value.isTextual()) {
            return List.of(ByteTokenizer.tokenize(value.textValue()));
        }
        if (!value.isArray() || value.isEmpty()) {
            throw new ApiException(BAD_REQUEST, field + ": Input should be a valid string or a list that isn't empty");
        }
        if (value.get(0).isNumber()) {
            return List.of(tokenIds(value));
        }
        List<int[]> prompts = new ArrayList<>();
        for (JsonNode item : value) {
            prompts.add(item.isArray() ? tokenIds(item) : ByteTokenizer.tokenize(text(item, field)));
        }
        return prompts;
    }

    private static List<int[]> pairs(JsonNode left, JsonNode right) {
        List<String> lefts = texts(left);
        List<String> rights = texts(right);
        List<int[]> prompts = new ArrayList<>();
        for (int i = 0; i < rights.size(); i++) {
            String first = lefts.get(lefts.size() == rights.size() ? i : 0);
            prompts.add(ByteTokenizer.tokenize(first + "\n" + rights.get(i)));
        }
        return prompts;
    }

    private static List<String> texts(JsonNode value) {
        if (value.isTextual()) {
            return List.of(value.textValue());
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode item : value) {
            texts.add(text(item.isObject() ? item.path("text") : item, "documents"));
        }
        if (texts.isEmpty()) {
            throw new ApiException(BAD_REQUEST, "documents: List should have at least 1 item");
        }
        return texts;
    }

    private static String text(JsonNode item, String field) {
        if (item instanceof TextNode) {
            return item.textValue();
        }
        throw new ApiException(BAD_REQUEST, field + ": Input should be a valid string");
    }

    private static JsonNode required(JsonNode body, String field) {
        JsonNode value = body.path(field);
        if (value.isMissingNode() || value.isNull()) {
            throw missing(field);
        }
        return value;
    }

    private static ApiException missing(String field) {
        return new ApiException(BAD_REQUEST, "body." + field + ": Field required");
    }
}
