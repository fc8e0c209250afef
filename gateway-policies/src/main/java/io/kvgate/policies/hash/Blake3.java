package io.kvgate.policies.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * BLAKE3 as a plain hash: no key, no extended output (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, "BLAKE3", 2020, section 2).
 *
 * <p>Threading: any thread; static functions without state.
 */
final class Blake3 {
    /*
     * Input is cut into chunks of 1,024 bytes, a chunk into blocks of 64. A chunk's blocks are chained through eight words; the
     * chunks' results are the leaves of a binary tree whose left subtrees are complete. The tree needs no more than a stack: after
     * chunk number n as many finished pairs are merged as n has trailing zero bits. The last node of all, be it a block or a
     * parent, carries the ROOT flag, so the one at hand is kept back until it is known whether more follows.
     *
     * Keys are mostly one block: then all of this is one call of compress.
     */
    static final int BLOCK_BYTES = 64;
    static final int CHUNK_BYTES = 1_024;

    private static final int CHUNK_START = 1;
    private static final int CHUNK_END = 2;
    private static final int PARENT = 4;
    private static final int ROOT = 8;

    /** 2^54 chunks are more than an array holds; 22 levels are enough for 2^31 bytes. */
    private static final int MAX_DEPTH = 22;

    private static final int ROUNDS = 7;
    private static final int[] IV = {
        0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19
    };
    private static final VarHandle LE_INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private Blake3() {}

    /** The first 256 bits of the hash of {@code input[0 .. length)}, as eight little-endian words. */
    static int[] hash(byte[] input, int length) {
        int[] message = new int[16];
        int chunks = Math.max(1, (length + CHUNK_BYTES - 1) / CHUNK_BYTES);
        if (chunks == 1) {
            return chunk(input, 0, length, 0, ROOT, message);
        }
        int[][] stack = new int[MAX_DEPTH][];
        int depth = 0;
        for (int done = 1; done < chunks; done++) {
            int[] value = chunk(input, (done - 1) * CHUNK_BYTES, CHUNK_BYTES, done - 1, 0, message);
            for (int merged = done; (merged & 1) == 0; merged >>= 1) {
                value = parent(stack[--depth], value, 0, message);
            }
            stack[depth++] = value;
        }
        int last = (chunks - 1) * CHUNK_BYTES;
        int[] value = chunk(input, last, length - last, chunks - 1, 0, message);
        while (depth > 0) {
            value = parent(stack[depth - 1], value, depth == 1 ? ROOT : 0, message);
            depth--;
        }
        return value;
    }

    private static int[] chunk(byte[] input, int from, int length, int number, int root, int[] message) {
        int[] chaining = IV.clone();
        int flags = CHUNK_START;
        int offset = 0;
        while (length - offset > BLOCK_BYTES) {
            for (int i = 0; i < 16; i++) {
                message[i] = (int) LE_INT.get(input, from + offset + 4 * i);
            }
            compress(chaining, message, number, BLOCK_BYTES, flags);
            flags = 0;
            offset += BLOCK_BYTES;
        }
        int rest = length - offset;
        lastBlock(input, from + offset, rest, message);
        compress(chaining, message, number, rest, flags | CHUNK_END | root);
        return chaining;
    }

    /** A block that may be short, filled up with zeros. */
    private static void lastBlock(byte[] input, int from, int length, int[] message) {
        int words = length >> 2;
        for (int i = 0; i < words; i++) {
            message[i] = (int) LE_INT.get(input, from + 4 * i);
        }
        for (int i = words; i < 16; i++) {
            message[i] = 0;
        }
        for (int i = words << 2; i < length; i++) {
            message[words] |= (input[from + i] & 0xFF) << (8 * (i & 3));
        }
    }

    private static int[] parent(int[] left, int[] right, int root, int[] message) {
        System.arraycopy(left, 0, message, 0, 8);
        System.arraycopy(right, 0, message, 8, 8);
        int[] chaining = IV.clone();
        compress(chaining, message, 0, BLOCK_BYTES, PARENT | root);
        return chaining;
    }

    /**
     * The seven rounds over one block.
     *
     * @param chaining read, and overwritten with the result
     * @param message overwritten
     */
    private static void compress(int[] chaining, int[] message, int counter, int blockLength, int flags) {
        // Constant places only, no loop over words: so the compiler can keep most of them in registers (a third
        // faster).
        int[] v = new int[16];
        v[0] = chaining[0];
        v[1] = chaining[1];
        v[2] = chaining[2];
        v[3] = chaining[3];
        v[4] = chaining[4];
        v[5] = chaining[5];
        v[6] = chaining[6];
        v[7] = chaining[7];
        v[8] = IV[0];
        v[9] = IV[1];
        v[10] = IV[2];
        v[11] = IV[3];
        v[12] = counter;
        v[13] = 0;
        v[14] = blockLength;
        v[15] = flags;
        for (int round = 0; round < ROUNDS; round++) {
            mix(v, 0, 0, message[0], message[1]);
            mix(v, 1, 0, message[2], message[3]);
            mix(v, 2, 0, message[4], message[5]);
            mix(v, 3, 0, message[6], message[7]);
            mix(v, 0, 1, message[8], message[9]);
            mix(v, 1, 1, message[10], message[11]);
            mix(v, 2, 1, message[12], message[13]);
            mix(v, 3, 1, message[14], message[15]);
            permute(message);
        }
        chaining[0] = v[0] ^ v[8];
        chaining[1] = v[1] ^ v[9];
        chaining[2] = v[2] ^ v[10];
        chaining[3] = v[3] ^ v[11];
        chaining[4] = v[4] ^ v[12];
        chaining[5] = v[5] ^ v[13];
        chaining[6] = v[6] ^ v[14];
        chaining[7] = v[7] ^ v[15];
    }

    /** Mixes a column of the four by four words, or with {@code slant} 1 a diagonal, with two words of the message. */
    private static void mix(int[] v, int a, int slant, int x, int y) {
        int b = 4 + (a + slant & 3);
        int c = 8 + (a + 2 * slant & 3);
        int d = 12 + (a + 3 * slant & 3);
        v[a] += v[b] + x;
        v[d] = Integer.rotateRight(v[d] ^ v[a], 16);
        v[c] += v[d];
        v[b] = Integer.rotateRight(v[b] ^ v[c], 12);
        v[a] += v[b] + y;
        v[d] = Integer.rotateRight(v[d] ^ v[a], 8);
        v[c] += v[d];
        v[b] = Integer.rotateRight(v[b] ^ v[c], 7);
    }

    /** Brings the message words into the order of the next round: two cycles of eight. */
    private static void permute(int[] m) {
        int from0 = m[0];
        m[0] = m[2];
        m[2] = m[3];
        m[3] = m[10];
        m[10] = m[12];
        m[12] = m[9];
        m[9] = m[11];
        m[11] = m[5];
        m[5] = from0;
        int from1 = m[1];
        m[1] = m[6];
        m[6] = m[4];
        m[4] = m[7];
        m[7] = m[13];
        m[13] = m[14];
        m[14] = m[15];
        m[15] = m[8];
        m[8] = from1;
    }
}
