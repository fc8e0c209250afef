package io.kvgate.server.body;

import java.util.Arrays;

/**
 * Bytes of well-formed UTF-8 that grow up to a bound; what goes beyond is dropped, between two code points. The array is used again
 * for the next body, and given up when for some time no body needed so large a one.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class TextBuffer {
    /** Room that a writer finds after {@link #grow}: four words, and from the last byte on a code point. */
    static final int ROOM = 40;

    private static final int SMALL = 16_384;
    private static final int USES = 64;
    /** No more is made ready for text that is only expected: most of a large body may be images. */
    private static final int READY = 262_144;

    /** The array; replaced by {@link #grow}. */
    byte[] bytes;
    /** Bytes in use. */
    int length;
    /** How many of these are not the first of a code point. */
    int continuations;

    private final int maxLength;
    private int uses;
    private int largest;
    private boolean full;

    /** @param maxLength about how many bytes it may hold; at least 64 */
    TextBuffer(int maxLength) {
        this.maxLength = maxLength;
        bytes = new byte[Math.min(SMALL, maxLength) + ROOM];
    }

    /**
     * Empties it for another body.
     *
     * @param expected bytes that will probably come
     */
    void recycle(int expected) {
        largest = Math.max(largest, length);
        clear();
        if (++uses % USES == 0) {
            if (bytes.length > SMALL + ROOM && bytes.length / 4 > largest) {
                bytes = new byte[Math.max(SMALL, largest) + ROOM];
            }
            largest = 0;
        }
        int wanted = Math.min(expected, Math.min(READY, maxLength)) + ROOM;
        if (bytes.length < wanted) {
            bytes = new byte[wanted];
        }
    }

    void clear() {
        length = 0;
        continuations = 0;
        full = false;
    }

    /**
     * Makes room for {@link #ROOM} bytes behind {@link #length}.
     *
     * @return false if the bound is reached; nothing more may be written
     */
    boolean grow() {
        if (length + ROOM <= bytes.length) {
            return true;
        }
        if (bytes.length >= maxLength + ROOM) {
            full = true;
            return false;
        }
        bytes = Arrays.copyOf(bytes, Math.min(maxLength + ROOM, bytes.length * 2));
        return grow();
    }

    /** Whether something was dropped. */
    boolean full() {
        return full;
    }

    int codePoints() {
        return length - continuations;
    }

    int capacity() {
        return bytes.length;
    }

    void append(byte ascii) {
        if (grow()) {
            bytes[length++] = ascii;
        }
    }

    /** Appends all of another; the bound is for the caller to keep. */
    void append(TextBuffer other) {
        while (bytes.length < length + other.length) {
            bytes = Arrays.copyOf(bytes, bytes.length * 2);
        }
        System.arraycopy(other.bytes, 0, bytes, length, other.length);
        length += other.length;
    }

    /** Appends 16 digits. */
    void appendHex(long value) {
        if (grow()) {
            for (int shift = 60; shift >= 0; shift -= 4) {
                bytes[length++] = (byte) Character.forDigit((int) (value >>> shift) & 15, 16);
            }
        }
    }

    /** Appends a number without sign. */
    void appendDecimal(int value) {
        if (!grow()) {
            return;
        }
        long left = Integer.toUnsignedLong(value);
        int end = length;
        for (long rest = left; end == length || rest > 0; rest /= 10) {
            end++;
        }
        for (int i = end - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + left % 10);
            left /= 10;
        }
        length = end;
    }

    // ------------------------------------------------------------- pieces

    /**
     * Begins a piece: what follows is parted from what is there by one space.
     *
     * @return to be given to {@link #endPiece}
     */
    int beginPiece() {
        int before = length;
        if (before > 0) {
            append((byte) ' ');
        }
        return before;
    }

    /** Ends a piece; an empty one leaves no space behind. */
    void endPiece(int before) {
        if (length == before + 1 && before > 0) {
            length = before;
        }
    }

    /** Puts the pieces behind {@code end} in front of those between {@code start} and it. */
    void swap(int start, int end) {
        if (start >= end || end >= length) {
            return;
        }
        byte[] behind = Arrays.copyOfRange(bytes, end + 1, length);
        System.arraycopy(bytes, start, bytes, start + behind.length + 1, end - start);
        System.arraycopy(behind, 0, bytes, start, behind.length);
        bytes[start + behind.length] = ' ';
    }

    /** Takes the pieces in front of {@code end} away, if there are others behind. */
    void dropBefore(int end, int continuationsBefore) {
        if (end > 0 && end < length) {
            length -= end + 1;
            System.arraycopy(bytes, end + 1, bytes, 0, length);
            continuations -= continuationsBefore;
        }
    }

    /** Puts these bytes in front of all, even beyond the bound. */
    void insertFront(byte[] front, int count) {
        if (bytes.length < length + count) {
            bytes = Arrays.copyOf(bytes, length + count + ROOM);
        }
        System.arraycopy(bytes, 0, bytes, count, length);
        System.arraycopy(front, 0, bytes, 0, count);
        length += count;
    }
}
