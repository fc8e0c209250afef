package io.kvgate.policies.radix;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** What the tree needs to know of UTF-8: keys, boundaries, counts. Stateless. */
final class CodePoints {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long LOWEST_BITS = 0x0101_0101_0101_0101L;

    private CodePoints() {}

    /**
     * A number for the code point that begins at {@code at}: its bytes as they are, plus one so that none is 0. Two code points
     * never have the same.
     */
    static int key(byte[] bytes, int at, int end) {
        int lead = bytes[at];
        if (lead >= 0) {
            return lead + 1;
        }
        int stop = Math.min(end, at + (lead >= (byte) 0xF0 ? 4 : lead >= (byte) 0xE0 ? 3 : 2));
        int key = 0;
        for (int i = at; i < stop; i++) {
            key = (key << 8) | (bytes[i] & 0xFF);
        }
        return key + 1;
    }

    /** The last boundary of a code point at or before {@code at}; {@code at} is below the length. */
    static int boundary(byte[] bytes, int at) {
        int i = at;
        while (i > 0 && (bytes[i] & 0xC0) == 0x80) {
            i--;
        }
        return i;
    }

    /** Code points that begin in the range: bytes that don't continue one, eight at a time. */
    static int count(byte[] bytes, int from, int to) {
        int count = Math.max(0, to - from);
        int i = from;
        for (; i <= to - Long.BYTES; i += Long.BYTES) {
            long eight = (long) LONGS.get(bytes, i);
            count -= Long.bitCount((eight >>> 7) & ~(eight >>> 6) & LOWEST_BITS);
        }
        for (; i < to; i++) {
            count -= (bytes[i] & 0xC0) == 0x80 ? 1 : 0;
        }
        return count;
    }
}
