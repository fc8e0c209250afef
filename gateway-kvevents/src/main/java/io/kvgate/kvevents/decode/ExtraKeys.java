package io.kvgate.kvevents.decode;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What else went into the hashes of an event's blocks. vLLM writes per block nil or a list: first the adapter's name, then images as
 * {@code [id, offset]} (the id alone up to v0.18), in a sequence's first block the cache salt, and digests of embeddings.
 *
 * @param perBlock a hash of the images and embeddings of each block; 0: none; null: none in any block
 * @param salt the sequence's salt; null: none
 */
@SuppressWarnings("ArrayRecordComponent") // handed on to the event
record ExtraKeys(long @Nullable [] perBlock, @Nullable String salt) {
    private static final long FNV_OFFSET = 0xcbf2_9ce4_8422_2325L;
    private static final long FNV_PRIME = 0x0000_0100_0000_01b3L;

    /**
     * @param at where the list begins; the cursor's own position is kept
     * @param blocks how many blocks the event has
     * @param first whether the event's first block is its sequence's first
     */
    static ExtraKeys read(MsgpackCursor cursor, int at, int blocks, @Nullable String loraName, boolean first)
            throws MalformedEventException {
        int before = cursor.position();
        cursor.position(at);
        int entries = cursor.readArray();
        long[] perBlock = null;
        String salt = null;
        for (int block = 0; block < entries; block++) {
            if (cursor.takeNil()) {
                continue;
            }
            Entry entry = new Entry(loraName, first && block == 0);
            entry.read(cursor);
            if (entry.hash != 0 && block < blocks) {
                perBlock = perBlock == null ? new long[blocks] : perBlock;
                perBlock[block] = entry.hash;
            }
            salt = block == 0 ? entry.salt : salt;
        }
        cursor.position(before);
        return new ExtraKeys(perBlock, salt);
    }

    /** The hash of an image at an offset from the block's start, as the request side has to compute it. */
    public static long ofImage(long hashBefore, String id, long offset) {
        byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
        return mix(bytesMixed(start(hashBefore), bytes, 0, bytes.length), offset);
    }

    private static long start(long hash) {
        return hash == 0 ? FNV_OFFSET : hash;
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * FNV_PRIME;
        return mixed ^ (mixed >>> 32);
    }

    private static long bytesMixed(long hash, byte[] bytes, int from, int length) {
        long mixed = hash;
        for (int i = 0; i < length; i++) {
            mixed = (mixed ^ (bytes[from + i] & 0xff)) * FNV_PRIME;
        }
        return mixed;
    }

    /** One block's list. */
    private static final class Entry {
        private final @Nullable String loraName;
        private final boolean mayHaveSalt;
        private long hash;
        private @Nullable String salt;

        Entry(@Nullable String loraName, boolean mayHaveSalt) {
            this.loraName = loraName;
            this.mayHaveSalt = mayHaveSalt;
        }

        void read(MsgpackCursor cursor) throws MalformedEventException {
            int items = cursor.readArray();
            for (int i = 0; i < items; i++) {
                MsgpackCursor.Type type = cursor.peek();
                if (type == MsgpackCursor.Type.STRING) {
                    readText(cursor.readString(), i == 0);
                } else if (type == MsgpackCursor.Type.ARRAY) {
                    readImage(cursor);
                } else if (type == MsgpackCursor.Type.BINARY) {
                    int length = cursor.readBytesHeader();
                    int start = cursor.advance(length);
                    hash = bytesMixed(start(hash), cursor.array(), start, length);
                } else {
                    cursor.skip();
                }
            }
        }

        private void readText(String text, boolean leading) {
            if (leading && text.equals(loraName)) {
                return;
            }
            if (!mayHaveSalt) {
                hash = ofImage(hash, text, 0);
                return;
            }
            if (salt != null) {
                // Only the last can be the salt; the ones before are images of v0.17.
                hash = ofImage(hash, salt, 0);
            }
            salt = text;
        }

        private void readImage(MsgpackCursor cursor) throws MalformedEventException {
            int parts = cursor.readArray();
            if (parts != 2) {
                throw new MalformedEventException("image id and offset expected before byte " + cursor.position());
            }
            String id = cursor.readString();
            hash = ofImage(hash, id, cursor.readLong());
        }
    }
}
