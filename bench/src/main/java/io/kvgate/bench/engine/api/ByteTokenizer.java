package io.kvgate.bench.engine.api;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A tokenizer without a vocabulary: one token is four bytes of UTF-8, and its id is those bytes as a number.
 *
 * <p>A token that would start with a byte above 127 takes three bytes instead, and the end of a text may be shorter,
 * so that ids are never negative and tell their own length. Text without NUL characters survives the way there and
 * back unchanged.
 */
public final class ByteTokenizer {
    private static final int WIDTH = 4;

    private ByteTokenizer() {}

    /** Token ids of a text; empty for an empty text. */
    public static int[] tokenize(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int[] tokens = new int[bytes.length / (WIDTH - 1) + 1];
        int count = 0;
        int at = 0;
        while (at < bytes.length) {
            int width = Math.min(bytes[at] < 0 ? WIDTH - 1 : WIDTH, bytes.length - at);
            int token = 0;
            for (int i = 0; i < width; i++) {
                token = token << 8 | (bytes[at + i] & 0xff);
            }
            tokens[count++] = token;
            at += width;
        }
        return Arrays.copyOf(tokens, count);
    }

    /** The text of token ids; bytes that are not UTF-8 become U+FFFD. */
    public static String detokenize(int... tokens) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(tokens.length * WIDTH);
        for (int token : tokens) {
            boolean started = false;
            for (int shift = 24; shift >= 0; shift -= 8) {
                int value = token >>> shift & 0xff;
                started |= value != 0;
                if (started) {
                    bytes.write(value);
                }
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
