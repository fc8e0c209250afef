package io.kvgate.kvevents.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads msgpack values one after the other from a byte array, without allocating. Every declared length is checked against the
 * bytes that are left before anything is done with it. Format: github.com/msgpack/msgpack/blob/master/spec.md.
 *
 * <p>Threading: confined to one thread.
 */
final class MsgpackCursor {
    /** What a value is, as far as decoding cares. */
    enum Type {
        NIL,
        BOOL,
        INT,
        FLOAT,
        STRING,
        BINARY,
        ARRAY,
        MAP,
        EXTENSION
    }

    /** Nesting beyond which a value is refused instead of skipped. */
    static final int MAX_DEPTH = 32;

    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final byte[] bytes;
    private final int end;
    private int at;

    MsgpackCursor(byte[] bytes) {
        this.bytes = bytes;
        end = bytes.length;
    }

    int position() {
        return at;
    }

    /** @param position one that {@link #position} has given */
    void position(int position) {
        at = position;
    }

    int remaining() {
        return end - at;
    }

    /** The type of the next value; does not move. */
    Type peek() throws MalformedEventException {
        int head = head();
        if (head <= 0x7f || head >= 0xe0 || (head >= 0xcc && head <= 0xd3)) {
            return Type.INT;
        }
        if (head <= 0x8f || head == 0xde || head == 0xdf) {
            return Type.MAP;
        }
        if (head <= 0x9f || head == 0xdc || head == 0xdd) {
            return Type.ARRAY;
        }
        if (head <= 0xbf || (head >= 0xd9 && head <= 0xdb)) {
            return Type.STRING;
        }
        if (head <= 0xc3) {
            return head == 0xc0 ? Type.NIL : smallType(head);
        }
        if (head <= 0xc6) {
            return Type.BINARY;
        }
        return head == 0xca || head == 0xcb ? Type.FLOAT : Type.EXTENSION;
    }

    private static Type smallType(int head) throws MalformedEventException {
        if (head == 0xc1) {
            throw new MalformedEventException("byte 0xc1 is no msgpack");
        }
        return Type.BOOL;
    }

    /** Takes a nil if it is next. */
    boolean takeNil() throws MalformedEventException {
        if (head() != 0xc0) {
            return false;
        }
        at++;
        return true;
    }

    /** An integer of any width. Unsigned ones of 2^63 and more come as their bit pattern. */
    long readLong() throws MalformedEventException {
        int head = head();
        if (head <= 0x7f || head >= 0xe0) {
            at++;
            return (byte) head;
        }
        return switch (head) {
            case 0xcc -> bytes[advance(2) + 1] & 0xff;
            case 0xcd -> (short) SHORTS.get(bytes, advance(3) + 1) & 0xffff;
            case 0xce -> (int) INTS.get(bytes, advance(5) + 1) & 0xffff_ffffL;
            case 0xcf, 0xd3 -> (long) LONGS.get(bytes, advance(9) + 1);
            case 0xd0 -> bytes[advance(2) + 1];
            case 0xd1 -> (short) SHORTS.get(bytes, advance(3) + 1);
            case 0xd2 -> (int) INTS.get(bytes, advance(5) + 1);
            default -> throw new MalformedEventException("integer expected at byte " + at);
        };
    }

    /** An integer that is negative, or 2^63 and more, is refused. */
    long readUnsigned() throws MalformedEventException {
        long value = readLong();
        if (value < 0) {
            throw new MalformedEventException("integer out of range before byte " + at);
        }
        return value;
    }

    /** A float of either width, or an integer. */
    double readDouble() throws MalformedEventException {
        int head = head();
        if (head == 0xca) {
            return Float.intBitsToFloat((int) INTS.get(bytes, advance(5) + 1));
        }
        if (head == 0xcb) {
            return Double.longBitsToDouble((long) LONGS.get(bytes, advance(9) + 1));
        }
        return readLong();
    }

    /** How many elements follow. Each takes a byte at least, which is checked. */
    int readArray() throws MalformedEventException {
        int head = head();
        if (head >= 0x90 && head <= 0x9f) {
            at++;
            return checked(head & 0x0f, 1);
        }
        if (head == 0xdc) {
            return checked((short) SHORTS.get(bytes, advance(3) + 1) & 0xffff, 1);
        }
        if (head == 0xdd) {
            return checked((int) INTS.get(bytes, advance(5) + 1) & 0xffff_ffffL, 1);
        }
        throw new MalformedEventException("array expected at byte " + at);
    }

    /** How many pairs follow. */
    int readMap() throws MalformedEventException {
        int head = head();
        if (head >= 0x80 && head <= 0x8f) {
            at++;
            return checked(head & 0x0f, 2);
        }
        if (head == 0xde) {
            return checked((short) SHORTS.get(bytes, advance(3) + 1) & 0xffff, 2);
        }
        if (head == 0xdf) {
            return checked((int) INTS.get(bytes, advance(5) + 1) & 0xffff_ffffL, 2);
        }
        throw new MalformedEventException("map expected at byte " + at);
    }

    /** Length of the string or binary that is next; the position is at its first byte afterwards. Skip it by {@link #advance}. */
    int readBytesHeader() throws MalformedEventException {
        int head = head();
        if (head >= 0xa0 && head <= 0xbf) {
            at++;
            return checked(head & 0x1f, 1);
        }
        return switch (head) {
            case 0xd9, 0xc4 -> checked(bytes[advance(2) + 1] & 0xff, 1);
            case 0xda, 0xc5 -> checked((short) SHORTS.get(bytes, advance(3) + 1) & 0xffff, 1);
            case 0xdb, 0xc6 -> checked((int) INTS.get(bytes, advance(5) + 1) & 0xffff_ffffL, 1);
            default -> throw new MalformedEventException("string or binary expected at byte " + at);
        };
    }

    /** A string; malformed UTF-8 is replaced. */
    String readString() throws MalformedEventException {
        if (peek() != Type.STRING) {
            throw new MalformedEventException("string expected at byte " + at);
        }
        int length = readBytesHeader();
        return new String(bytes, advance(length), length, StandardCharsets.UTF_8);
    }

    /** Whether the bytes at the position are those of an ASCII text. */
    boolean regionIs(int from, int length, byte[] ascii) {
        return length == ascii.length && java.util.Arrays.equals(bytes, from, from + length, ascii, 0, ascii.length);
    }

    byte byteAt(int index) {
        return bytes[index];
    }

    byte[] array() {
        return bytes;
    }

    /** The long at an index, which must lie within bytes already read. */
    long longAt(int index) {
        return (long) LONGS.get(bytes, index);
    }

    /** Moves on. @return the position before */
    int advance(int count) throws MalformedEventException {
        if (count > end - at) {
            throw new MalformedEventException("cut off at byte " + end);
        }
        int before = at;
        at += count;
        return before;
    }

    /** Skips one value with everything in it; iterative, and bounded in depth. */
    void skip() throws MalformedEventException {
        long[] left = null;
        int depth = 0;
        while (true) {
            long inside = skipHead();
            if (inside > 0) {
                if (depth == MAX_DEPTH) {
                    throw new MalformedEventException("nested deeper than " + MAX_DEPTH);
                }
                if (left == null) {
                    left = new long[MAX_DEPTH];
                }
                left[depth++] = inside;
            }
            while (depth > 0 && left != null && left[depth - 1] == 0) {
                depth--;
            }
            if (depth == 0 || left == null) {
                return;
            }
            left[depth - 1]--;
        }
    }

    /** @return how many values lie inside the one that was begun */
    private long skipHead() throws MalformedEventException {
        switch (peek()) {
            case NIL, BOOL -> advance(1);
            case INT -> readLong();
            case FLOAT -> readDouble();
            case STRING, BINARY -> advance(readBytesHeader());
            case ARRAY -> {
                return readArray();
            }
            case MAP -> {
                return 2L * readMap();
            }
            case EXTENSION -> skipExtension();
        }
        return 0;
    }

    private void skipExtension() throws MalformedEventException {
        int head = head();
        if (head >= 0xd4 && head <= 0xd8) {
            advance(2 + (1 << (head - 0xd4)));
            return;
        }
        int length =
                switch (head) {
                    case 0xc7 -> checked(bytes[advance(2) + 1] & 0xff, 1);
                    case 0xc8 -> checked((short) SHORTS.get(bytes, advance(3) + 1) & 0xffff, 1);
                    case 0xc9 -> checked((int) INTS.get(bytes, advance(5) + 1) & 0xffff_ffffL, 1);
                    default ->
                        throw new MalformedEventException("byte 0x" + Integer.toHexString(head) + " is no msgpack");
                };
        advance(length);
        advance(1);
    }

    private int head() throws MalformedEventException {
        if (at >= end) {
            throw new MalformedEventException("cut off at byte " + end);
        }
        return bytes[at] & 0xff;
    }

    private int checked(long count, int bytesEach) throws MalformedEventException {
        if (count * bytesEach > end - at) {
            throw new MalformedEventException(count + " elements announced, " + (end - at) + " bytes left");
        }
        return (int) count;
    }
}
