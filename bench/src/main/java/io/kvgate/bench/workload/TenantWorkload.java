package io.kvgate.bench.workload;

import io.kvgate.core.random.SplitMixRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Chats of tenants: each tenant has a system prompt of its own, each request is that prompt and a user turn that nobody has sent
 * before. The tenant is drawn uniformly.
 *
 * <p>Threading: one thread at a time. The same shape and seed give the same requests.
 */
public final class TenantWorkload {
    /** What the simulated engine's chat template puts around a system and a user message: 3, 2 and 4 tokens. */
    public static final int TEMPLATE_TOKENS = 9;

    /**
     * Sizes of the requests.
     *
     * @param model name in the bodies
     * @param tenants how many; at least 1
     * @param prefixTokens of each system prompt; at least 1
     * @param turnTokens of each user turn; at least 1
     * @param outputTokens of each answer; at least 1
     */
    public record Shape(String model, int tenants, int prefixTokens, int turnTokens, int outputTokens) {
        public Shape {
            atLeastOne("tenants", tenants);
            atLeastOne("prefixTokens", prefixTokens);
            atLeastOne("turnTokens", turnTokens);
            atLeastOne("outputTokens", outputTokens);
        }

        /** Tokens the engine counts for one prompt. */
        public int promptTokens() {
            return TEMPLATE_TOKENS + prefixTokens + turnTokens;
        }

        private static void atLeastOne(String name, int value) {
            if (value < 1) {
                throw new IllegalArgumentException(name + ": " + value + " (expected: >= 1)");
            }
        }
    }

    private final Shape shape;
    private final RandomGenerator random;
    private final WordText text;
    private final List<String> prefixes = new ArrayList<>();

    public TenantWorkload(Shape shape, long seed) {
        this.shape = shape;
        random = new SplitMixRandom(seed);
        text = new WordText(random);
        for (int i = 0; i < shape.tenants; i++) {
            prefixes.add(text.tokens(shape.prefixTokens));
        }
    }

    public Shape shape() {
        return shape;
    }

    /** The next request's JSON body. */
    public byte[] next() {
        int tenant = random.nextInt(shape.tenants);
        List<ChatBody.Message> messages = List.of(
                new ChatBody.Message("system", prefixes.get(tenant)),
                new ChatBody.Message("user", text.tokens(shape.turnTokens)));
        return ChatBody.streamed(shape.model, shape.outputTokens, messages);
    }
}
