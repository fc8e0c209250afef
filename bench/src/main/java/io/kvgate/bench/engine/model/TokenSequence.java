package io.kvgate.bench.engine.model;

import java.util.Arrays;

/**
 * The tokens of one request, prompt first and output behind it, with the chained hash of each full block.
 *
 * <p>A block's hash covers its own tokens and, through its parent's hash, all tokens before it: equal hashes mean
 * equal prefixes up to that block. The hash is 64 bits wide and the same in every engine.
 *
 * <p>Threading: confined to the owner of the {@link EngineModel}.
 */
public final class TokenSequence {
    private static final long ROOT_HASH = 0x6b76_6761_7465_0001L;
    private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

    private final int blockSizeTokens;
    private int[] tokens;
    private int size;
    private long[] hashes;
    private int hashed;

    /** Takes a copy of the prompt, with room for {@code roomTokens} more. */
    TokenSequence(int[] prompt, int blockSizeTokens, int roomTokens) {
        this.blockSizeTokens = blockSizeTokens;
        this.tokens = Arrays.copyOf(prompt, prompt.length + Math.min(roomTokens, 64));
        this.size = prompt.length;
        this.hashes = new long[(prompt.length + roomTokens) / blockSizeTokens];
        hashFullBlocks();
    }

    /** Number of tokens. */
    public int size() {
        return size;
    }

    public int token(int index) {
        return tokens[checkIndex(index, size)];
    }

    /** Number of blocks that are full. */
    public int fullBlocks() {
        return hashed;
    }

    public int blockSizeTokens() {
        return blockSizeTokens;
    }

    /** Chained hash of a full block. */
    public long hash(int block) {
        return hashes[checkIndex(block, hashed)];
    }

    /** The tokens of the full blocks {@code first} to {@code end}, exclusive. */
    public int[] blockTokens(int first, int end) {
        checkIndex(end - 1, hashed);
        return Arrays.copyOfRange(tokens, first * blockSizeTokens, end * blockSizeTokens);
    }

    void append(int token) {
        if (size == tokens.length) {
            tokens = Arrays.copyOf(tokens, size + size / 2 + 16);
        }
        tokens[size++] = token;
        hashFullBlocks();
    }

    /** A number that depends on every token and on nothing else, so not on the block size. */
    long fingerprint() {
        return mix(hashTokens(ROOT_HASH, 0, size));
    }

    private void hashFullBlocks() {
        int full = size / blockSizeTokens;
        if (full > hashes.length) {
            hashes = Arrays.copyOf(hashes, full + full / 2 + 1);
        }
        while (hashed < full) {
            long parent = hashed == 0 ? ROOT_HASH : hashes[hashed - 1];
            int from = hashed * blockSizeTokens;
            hashes[hashed++] = mix(hashTokens(parent, from, from + blockSizeTokens));
        }
    }

    private long hashTokens(long start, int from, int to) {
        long hash = start;
        for (int i = from; i < to; i++) {
            hash = (hash + tokens[i] + 1) * STEP;
            hash ^= hash >>> 32;
        }
        return hash;
    }

    /** Spreads every input bit over all output bits. */
    static long mix(long value) {
        long mixed = (value ^ (value >>> 31)) * 0xbf58_476d_1ce4_e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return mixed ^ (mixed >>> 30);
    }

    private static int checkIndex(int index, int length) {
        if (index < 0 || index >= length) {
            throw new IndexOutOfBoundsException("index: " + index + " (expected: 0 to " + (length - 1) + ")");
        }
        return index;
    }
}
