package io.kvgate.core.cache;

import org.jspecify.annotations.Nullable;

/**
 * Asks how much of a prompt is cached, by workers that all serve its model.
 *
 * @param lora adapter; null: the base model
 * @param salt cache salt; null: none
 * @param tokenIds the prompt, from index 0; not to be changed meanwhile
 * @param tokenCount how many; at least 0
 */
@SuppressWarnings("ArrayRecordComponent") // borrowed for the length of a call
public record PrefixQuery(@Nullable String lora, @Nullable String salt, int[] tokenIds, int tokenCount) {
    public PrefixQuery {
        if (tokenCount < 0 || tokenCount > tokenIds.length) {
            throw new IllegalArgumentException(
                    "tokenCount: " + tokenCount + " (expected: 0 to " + tokenIds.length + ")");
        }
    }
}
