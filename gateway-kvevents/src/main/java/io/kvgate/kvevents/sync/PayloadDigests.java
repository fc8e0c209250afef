package io.kvgate.kvevents.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Digests of the last payloads of one source, to tell a message that comes again from another one of the same number. 64 bits over
 * whole words; made to notice a restart, not to withstand an attacker.
 *
 * <p>Threading: confined to one thread.
 */
final class PayloadDigests {
    private static final int KEPT = 128;
    private static final long MULTIPLIER = 0x9e37_79b9_7f4a_7c15L;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long[] sequences = new long[KEPT];
    private final long[] digests = new long[KEPT];

    PayloadDigests() {
        clear();
    }

    void clear() {
        java.util.Arrays.fill(sequences, -1);
    }

    void add(long sequence, byte[] payload) {
        int slot = (int) (sequence & (KEPT - 1));
        sequences[slot] = sequence;
        digests[slot] = digest(payload);
    }

    /** Whether this very payload was seen under this number. False also if the number is out of memory. */
    boolean isKnown(long sequence, byte[] payload) {
        int slot = (int) (sequence & (KEPT - 1));
        return sequences[slot] == sequence && digests[slot] == digest(payload);
    }

    /** As {@link #isKnown}, but true as well if the number is out of memory, so that nothing can be said. */
    boolean isKnownOrForgotten(long sequence, byte[] payload) {
        return sequences[(int) (sequence & (KEPT - 1))] != sequence || isKnown(sequence, payload);
    }

    private static long digest(byte[] payload) {
        long digest = payload.length * MULTIPLIER;
        int at = 0;
        for (; at + Long.BYTES <= payload.length; at += Long.BYTES) {
            digest = mixed(digest, (long) LONGS.get(payload, at));
        }
        long rest = 0;
        for (; at < payload.length; at++) {
            rest = (rest << Byte.SIZE) | (payload[at] & 0xff);
        }
        return mixed(digest, rest);
    }

    private static long mixed(long digest, long word) {
        long mixed = (digest ^ word) * MULTIPLIER;
        return mixed ^ (mixed >>> 29);
    }
}
