package io.kvgate.bench.engine.model;

/**
 * The made-up output of the model: one token is a space and three lower-case letters, as the four bytes of an int. So
 * an answer reads as short words, and the same text sent back in a later turn has the same tokens.
 */
final class OutputTokens {
    private static final int LETTERS = 26;

    private OutputTokens() {}

    static int token(long outputSeed, int index) {
        long random = TokenSequence.mix(outputSeed + index) & Long.MAX_VALUE;
        int word = (int) (random % (LETTERS * LETTERS * LETTERS));
        int first = 'a' + word / (LETTERS * LETTERS);
        int second = 'a' + word / LETTERS % LETTERS;
        int third = 'a' + word % LETTERS;
        return ' ' << 24 | first << 16 | second << 8 | third;
    }
}
