package io.kvgate.policies.hash;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The hash of routing keys and ring points: the first eight bytes of BLAKE3 over UTF-8, little-endian, unsigned. */
public final class KeyHash {
    /** Longer keys are kept by their hash. Session ids, UUIDs and most tenant names are shorter. */
    private static final int KEPT_CHARACTERS = 64;

    private KeyHash() {}

    /** To be compared by {@link Long#compareUnsigned}. */
    public static long of(String key) {
        return of(key.getBytes(StandardCharsets.UTF_8));
    }

    static long of(byte[] key) {
        int[] words = Blake3.hash(key, key.length);
        return Integer.toUnsignedLong(words[0]) | (long) words[1] << 32;
    }

    /**
     * What to keep in the place of a key so that memory is bounded: the key itself if it is short, else 34 characters made of 128 bits
     * of its hash. They begin with a character that no header value has, so they equal no short key.
     */
    public static String shortened(String key) {
        if (key.length() <= KEPT_CHARACTERS) {
            return key;
        }
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        int[] words = Blake3.hash(bytes, bytes.length);
        HexFormat hex = HexFormat.of();
        StringBuilder kept = new StringBuilder(34).append("\0#");
        for (int i = 0; i < 4; i++) {
            kept.append(hex.toHexDigits(words[i]));
        }
        return kept.toString();
    }
}
