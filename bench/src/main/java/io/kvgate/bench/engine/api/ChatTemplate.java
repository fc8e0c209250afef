package io.kvgate.bench.engine.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;

/**
 * Renders a conversation to token ids: each message is its role in brackets and its text, and the assistant's turn is
 * opened at the end. Each piece is tokenized by itself, so a longer conversation has the tokens of the shorter one as
 * its prefix, answers of the engine included.
 */
final class ChatTemplate {
    private int[] tokens = new int[64];
    private int size;

    static int[] tokenize(JsonNode messages) {
        ChatTemplate template = new ChatTemplate();
        for (JsonNode message : messages) {
            template.add(message.path("role").asText("user"), message.path("content"));
        }
        return template.finish();
    }

    /** Adds a message; its content is a text or an array of parts. */
    void add(String role, JsonNode content) {
        append("<|" + role + "|>");
        append(contentText(content));
    }

    /** Opens the assistant's turn and answers the whole. */
    int[] finish() {
        append("<|assistant|>");
        return Arrays.copyOf(tokens, size);
    }

    private static String contentText(JsonNode content) {
        if (content.isTextual()) {
            return content.textValue();
        }
        StringBuilder parts = new StringBuilder();
        for (JsonNode part : content) {
            JsonNode text = part.path("text");
            parts.append(
                    text.isTextual()
                            ? text.textValue()
                            : "<" + part.path("type").asText("part") + ">");
        }
        return parts.toString();
    }

    private void append(String text) {
        int[] piece = ByteTokenizer.tokenize(text);
        if (size + piece.length > tokens.length) {
            tokens = Arrays.copyOf(tokens, (size + piece.length) * 2);
        }
        System.arraycopy(piece, 0, tokens, size, piece.length);
        size += piece.length;
    }
}
