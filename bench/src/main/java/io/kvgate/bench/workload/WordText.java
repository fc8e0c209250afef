package io.kvgate.bench.workload;

import java.util.random.RandomGenerator;

/**
 * Text of three-letter words, each with a space behind it: four bytes a word, which is one token of the simulated engine's tokenizer.
 *
 * <p>Threading: as its random source.
 */
public final class WordText {
    /** Bytes, characters and code points of a token. */
    public static final int TOKEN_CHARS = 4;

    private static final String OUTER = "bcdfghjklmnpqrstvwxyz";
    private static final String INNER = "aeiou";

    private final RandomGenerator random;

    public WordText(RandomGenerator random) {
        this.random = random;
    }

    /** A text of exactly that many tokens, if a text starts with it; at least 0. */
    public String tokens(int count) {
        StringBuilder text = new StringBuilder(count * TOKEN_CHARS);
        for (int i = 0; i < count; i++) {
            text.append(letter(OUTER))
                    .append(letter(INNER))
                    .append(letter(OUTER))
                    .append(' ');
        }
        return text.toString();
    }

    private char letter(String from) {
        return from.charAt(random.nextInt(from.length()));
    }
}
