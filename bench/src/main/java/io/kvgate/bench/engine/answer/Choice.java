package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.kvgate.bench.engine.api.ByteTokenizer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One output of an answer: the text so far and its counts.
 *
 * <p>Threading: confined to the engine's event loop.
 */
public final class Choice {
    private final int index;
    private final int[] prompt;
    private final StringBuilder text = new StringBuilder();
    private int[] tokens = new int[16];
    private int completionTokens;
    private int cachedTokens;
    private @Nullable String finishReason;

    Choice(int index, int[] prompt) {
        this.index = index;
        this.prompt = prompt;
    }

    public int index() {
        return index;
    }

    int promptTokens() {
        return prompt.length;
    }

    /** A number that depends on the prompt; what "scores" and vectors are made of. */
    int promptHash() {
        return Arrays.hashCode(prompt);
    }

    int completionTokens() {
        return completionTokens;
    }

    int cachedTokens() {
        return cachedTokens;
    }

    String text() {
        return text.toString();
    }

    /** "length" or "stop"; null while it runs. */
    @Nullable
    String finishReason() {
        return finishReason;
    }

    void putTokens(ArrayNode array) {
        for (int i = 0; i < completionTokens; i++) {
            array.add(tokens[i]);
        }
    }

    String add(int token, int cached) {
        if (completionTokens == tokens.length) {
            tokens = Arrays.copyOf(tokens, completionTokens * 2);
        }
        tokens[completionTokens++] = token;
        cachedTokens = cached;
        String piece = ByteTokenizer.detokenize(token);
        text.append(piece);
        return piece;
    }

    void finish(String reason) {
        finishReason = reason;
    }
}
