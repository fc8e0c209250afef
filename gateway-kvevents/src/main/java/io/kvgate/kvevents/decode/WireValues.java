package io.kvgate.kvevents.decode;

import io.kvgate.kvevents.event.KvEvent;
import org.jspecify.annotations.Nullable;

/** Values that several events have in common, in all the forms in which publishers write them. */
final class WireValues {
    private static final long[] NONE = new long[0];

    private WireValues() {}

    /** A list of block hashes, each brought to 64 bits. */
    static long[] hashes(MsgpackCursor cursor) throws MalformedEventException {
        int count = cursor.readArray();
        long[] hashes = count == 0 ? NONE : new long[count];
        for (int i = 0; i < count; i++) {
            hashes[i] = hash(cursor);
        }
        return hashes;
    }

    /**
     * A hash as an integer of either sign, as digest bytes (their last eight count, which is the integer form of the same digest), or
     * as hexadecimal text (likewise).
     */
    static long hash(MsgpackCursor cursor) throws MalformedEventException {
        return switch (cursor.peek()) {
            case INT -> cursor.readLong();
            case BINARY -> lastEightBytes(cursor);
            case STRING -> hexadecimal(cursor);
            default -> throw new MalformedEventException("block hash expected at byte " + cursor.position());
        };
    }

    private static long lastEightBytes(MsgpackCursor cursor) throws MalformedEventException {
        int length = cursor.readBytesHeader();
        int start = cursor.advance(length);
        if (length >= Long.BYTES) {
            return cursor.longAt(start + length - Long.BYTES);
        }
        if (length == 0) {
            throw new MalformedEventException("empty block hash before byte " + cursor.position());
        }
        long value = 0;
        for (int i = 0; i < length; i++) {
            value = (value << 8) | (cursor.byteAt(start + i) & 0xff);
        }
        return value;
    }

    private static long hexadecimal(MsgpackCursor cursor) throws MalformedEventException {
        int length = cursor.readBytesHeader();
        int start = cursor.advance(length);
        if (length == 0) {
            throw new MalformedEventException("empty block hash before byte " + cursor.position());
        }
        long value = 0;
        for (int i = 0; i < length; i++) {
            int digit = Character.digit(cursor.byteAt(start + i), 16);
            if (digit < 0) {
                throw new MalformedEventException("block hash is not hexadecimal before byte " + cursor.position());
            }
            value = (value << 4) | digit;
        }
        return value;
    }

    /** A text, or null for nil. */
    static @Nullable String text(MsgpackCursor cursor) throws MalformedEventException {
        return cursor.takeNil() ? null : cursor.readString();
    }

    /** A cache group, or {@link KvEvent#NO_GROUP} for nil. */
    static int group(MsgpackCursor cursor) throws MalformedEventException {
        return cursor.takeNil() ? KvEvent.NO_GROUP : smallInt(cursor);
    }

    /** An integer from 0 to 2^31 − 1. */
    static int smallInt(MsgpackCursor cursor) throws MalformedEventException {
        long value = cursor.readUnsigned();
        if (value > Integer.MAX_VALUE) {
            throw new MalformedEventException("integer out of range before byte " + cursor.position());
        }
        return (int) value;
    }

    /** Whether a block at this locality is the publisher's own. What nobody knows isn't. */
    static boolean isLocal(@Nullable String locality) {
        return locality == null || locality.isEmpty() || locality.equalsIgnoreCase("LOCAL");
    }
}
