package io.kvgate.kvevents.decode;

/**
 * Reads token ids: integers from 0 to 2^32 − 1, or pairs of such. A bigram engine writes (a,b)(b,c)(c,d), which stands for a b c d.
 *
 * <p>Threading: as the decoder that owns it.
 */
final class TokenReader {
    private static final int[] NONE = new int[0];
    private static final long MAX_TOKEN = 0xffff_ffffL;

    /** The ids as unsigned 32-bit numbers; empty for nil. */
    int[] read(MsgpackCursor cursor) throws MalformedEventException {
        if (cursor.takeNil()) {
            return NONE;
        }
        int count = cursor.readArray();
        if (count == 0) {
            return NONE;
        }
        if (cursor.peek() == MsgpackCursor.Type.ARRAY) {
            return readPairs(cursor, count);
        }
        int[] tokens = new int[count];
        for (int i = 0; i < count; i++) {
            tokens[i] = token(cursor);
        }
        return tokens;
    }

    private static int[] readPairs(MsgpackCursor cursor, int count) throws MalformedEventException {
        int[] tokens = new int[count + 1];
        for (int i = 0; i < count; i++) {
            if (cursor.readArray() != 2) {
                throw new MalformedEventException("pair of tokens expected before byte " + cursor.position());
            }
            tokens[i] = token(cursor);
            tokens[i + 1] = token(cursor);
        }
        return tokens;
    }

    private static int token(MsgpackCursor cursor) throws MalformedEventException {
        long token = cursor.readLong();
        if (token < 0 || token > MAX_TOKEN) {
            throw new MalformedEventException("token out of range before byte " + cursor.position());
        }
        return (int) token;
    }
}
