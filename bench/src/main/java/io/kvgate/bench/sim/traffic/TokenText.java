package io.kvgate.bench.sim.traffic;

import io.kvgate.core.request.Prompt;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Token ids whose four bytes are four ASCII characters, as those that engine models answer with. So text and ids share beginnings of
 * the same length, at four characters a token, and the text is made without a tokenizer.
 */
public final class TokenText {
    private static final int FIVE_BITS_A_BYTE = 0x1F1F1F1F;
    private static final int CAPITALS = 0x40404040;
    private static final int NOT_ASCII = 0x80808080;

    private TokenText() {}

    /** One of about a million ids. */
    static int draw(RandomGenerator random) {
        return (random.nextInt() & FIVE_BITS_A_BYTE) | CAPITALS;
    }

    /** Overwrites the tokens from one index to before the other. */
    static void fill(int[] tokens, int from, int to, RandomGenerator random) {
        for (int i = from; i < to; i++) {
            tokens[i] = draw(random);
        }
    }

    /** What the gateway would read of a request with these tokens. @throws IllegalArgumentException an id isn't four ASCII bytes */
    public static Prompt prompt(int[] tokens) {
        ByteBuffer text = ByteBuffer.allocate(tokens.length * Integer.BYTES);
        for (int token : tokens) {
            if ((token & NOT_ASCII) != 0) {
                throw new IllegalArgumentException("token: " + token + " (expected: four bytes below 128)");
            }
            text.putInt(token);
        }
        byte[] bytes = text.array();
        return new Prompt(bytes, 0, bytes.length, bytes.length, new int[0], 0);
    }
}
