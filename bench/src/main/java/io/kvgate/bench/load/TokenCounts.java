package io.kvgate.bench.load;

/**
 * Tokens as the engines count them in {@code usage}.
 *
 * @param prompt of the prompts, cached ones included
 * @param cached of the prompts, found in the engine's cache
 * @param completion of the answers
 */
public record TokenCounts(long prompt, long cached, long completion) {
    static final TokenCounts NONE = new TokenCounts(0, 0, 0);

    TokenCounts plus(TokenCounts other) {
        return new TokenCounts(prompt + other.prompt, cached + other.cached, completion + other.completion);
    }
}
