package io.kvgate.policies.hash;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.charset.StandardCharsets;

/** The hash of prompt prefixes: XXH3-64, seed 0. */
public final class TokenHash {
    private static final Hasher64 XXH3 = Hashing.xxh3_64();
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    /** Ids as unsigned 32-bit little-endian numbers, without a copy. */
    private static final ByteAccess<int[]> AS_BYTES = new ByteAccess<>() {
        @Override
        public byte getByte(int[] ids, long index) {
            return (byte) (ids[(int) (index >> 2)] >>> (8 * ((int) index & 3)));
        }

        @Override
        public int getInt(int[] ids, long index) {
            return (index & 3) == 0 ? ids[(int) (index >> 2)] : ByteAccess.super.getInt(ids, index);
        }

        @Override
        public long getLong(int[] ids, long index) {
            if ((index & 3) != 0) {
                return ByteAccess.super.getLong(ids, index);
            }
            int i = (int) (index >> 2);
            return Integer.toUnsignedLong(ids[i]) | (long) ids[i + 1] << 32;
        }
    };

    private TokenHash() {}

    /**
     * Over the ids as little-endian bytes.
     *
     * @param ids token ids as unsigned 32-bit numbers
     * @param count how many of them, from the first
     */
    public static long of(int[] ids, int count) {
        return XXH3.hashBytesToLong(ids, 0, 4L * count, AS_BYTES);
    }

    /** @param count how many bytes, from the first */
    public static long of(byte[] bytes, int count) {
        return XXH3.hashBytesToLong(bytes, 0, count);
    }

    /** The place of such a hash on a ring: it goes there as a key of 16 lower-case hexadecimal digits. */
    public static long ringPoint(long hash) {
        byte[] digits = new byte[16];
        for (int i = 0; i < 16; i++) {
            digits[i] = HEX[(int) (hash >>> (60 - 4 * i)) & 15];
        }
        return KeyHash.of(digits);
    }
}
