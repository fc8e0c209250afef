package io.kvgate.core.cache;

import org.jspecify.annotations.Nullable;

/**
 * Names prefixes of token sequences: the key of a prefix is made of the key of the prefix one token shorter and the last token. So the
 * key at a block's end is the same whatever the size of the blocks, and equal keys mean equal prefixes in the same namespace, but for a
 * collision of 64 bits, which costs a wrong guess and no more.
 *
 * <p>The seed is drawn per process, so that nobody can make up prompts that collide. Two gateways therefore have different keys.
 *
 * <p>One step is the folded 128-bit product that wyhash is built on (github.com/wangyi-fudan/wyhash).
 *
 * <p>Threading: any thread; immutable.
 */
public final class TokenChain {
    private static final long ODD = 0xa076_1d64_78bd_642fL;
    private static final long TOKEN = 0xe703_7ed1_a0b4_28dbL;

    private final long seed;

    public TokenChain(long seed) {
        this.seed = seed;
    }

    /**
     * The key of the empty prefix in a namespace.
     *
     * @param lora adapter; null: the base model
     * @param salt cache salt; null: none
     */
    public long root(@Nullable String lora, @Nullable String salt) {
        long key = text(step(seed, lora == null ? 1 : 2), lora == null ? "" : lora);
        return text(step(key, salt == null ? 3 : 4), salt == null ? "" : salt);
    }

    /** The key of a prefix that is longer by one token. */
    public long next(long key, int token) {
        return step(key, token & 0xffff_ffffL);
    }

    /** The key of a prefix that is longer by tokens {@code from} to {@code to} (exclusive). */
    public long next(long key, int[] tokens, int from, int to) {
        long next = key;
        for (int i = from; i < to; i++) {
            next = step(next, tokens[i] & 0xffff_ffffL);
        }
        return next;
    }

    /** The key of a prefix whose last block had something else mixed in (images, embeddings); {@code extra} 0 changes nothing. */
    public long withExtra(long key, long extra) {
        return extra == 0 ? key : step(key ^ ODD, extra);
    }

    private static long text(long key, String text) {
        long next = step(key, text.length());
        for (int i = 0; i < text.length(); i++) {
            next = step(next, text.charAt(i));
        }
        return next;
    }

    private static long step(long key, long value) {
        long a = key ^ ODD;
        long b = value * TOKEN ^ (key >>> 32 | 1);
        return Math.multiplyHigh(a, b) ^ a * b ^ Long.rotateLeft(key, 17) + value;
    }
}
