package io.kvgate.kvevents.decode;

import io.kvgate.kvevents.event.KvEvent;
import io.kvgate.kvevents.event.KvEventBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes the payloads that vLLM (0.9.0 and later), SGLang and publishers like them send. Batches are arrays or maps, events are
 * arrays or maps in any mixture, known by their tag; slots and keys that nobody knows are skipped. An event that can't be read is left
 * out and counted, the rest of its batch stands.
 *
 * <p>Threading: confined to one thread; keeps nothing between two batches.
 */
public final class KvEventDecoder {
    private static final String STORED = "BlockStored";
    private static final String REMOVED = "BlockRemoved";
    private static final String CLEARED = "AllBlocksCleared";

    /** An event costs a byte at least, so a payload can't announce more than it can pay for; the list grows as they come. */
    private static final int FIRST_EVENTS = 16;

    private final StoredFields stored = new StoredFields();
    private final RemovedFields removed = new RemovedFields();

    /**
     * @param payload the third frame of a message
     * @throws MalformedEventException the payload is no batch, or is cut off; nothing of it may be used
     */
    public KvEventBatch decode(byte[] payload) throws MalformedEventException {
        MsgpackCursor cursor = new MsgpackCursor(payload);
        Batch batch = new Batch();
        switch (cursor.peek()) {
            case ARRAY -> decodeArray(cursor, batch);
            case MAP -> decodeMap(cursor, batch);
            default -> throw new MalformedEventException("batch is neither array nor map");
        }
        if (cursor.remaining() > 0) {
            throw new MalformedEventException(cursor.remaining() + " bytes after the batch");
        }
        return batch.built();
    }

    private void decodeArray(MsgpackCursor cursor, Batch batch) throws MalformedEventException {
        int slots = cursor.readArray();
        if (slots < 2) {
            throw new MalformedEventException("batch of " + slots + " slots");
        }
        batch.timestamp = cursor.readDouble();
        decodeEvents(cursor, batch);
        for (int slot = 2; slot < slots; slot++) {
            if (slot == 2) {
                batch.rank = rank(cursor);
            } else {
                cursor.skip();
            }
        }
    }

    private void decodeMap(MsgpackCursor cursor, Batch batch) throws MalformedEventException {
        boolean hasEvents = false;
        int pairs = cursor.readMap();
        for (int i = 0; i < pairs; i++) {
            switch (cursor.readString()) {
                case "ts" -> batch.timestamp = cursor.readDouble();
                case "events" -> {
                    batch.events.clear();
                    decodeEvents(cursor, batch);
                    hasEvents = true;
                }
                case "data_parallel_rank" -> batch.rank = rank(cursor);
                default -> cursor.skip();
            }
        }
        if (!hasEvents) {
            throw new MalformedEventException("batch without events");
        }
    }

    private static int rank(MsgpackCursor cursor) throws MalformedEventException {
        if (cursor.peek() != MsgpackCursor.Type.INT) {
            cursor.skip();
            return -1;
        }
        long rank = cursor.readLong();
        return rank >= 0 && rank <= Integer.MAX_VALUE ? (int) rank : -1;
    }

    private void decodeEvents(MsgpackCursor cursor, Batch batch) throws MalformedEventException {
        int count = cursor.readArray();
        for (int i = 0; i < count; i++) {
            int start = cursor.position();
            try {
                decodeEvent(cursor, batch);
            } catch (MalformedEventException e) {
                batch.bad++;
                cursor.position(start);
                // Throws if the event has no end: then the batch has none either.
                cursor.skip();
            }
        }
    }

    private void decodeEvent(MsgpackCursor cursor, Batch batch) throws MalformedEventException {
        switch (cursor.peek()) {
            case ARRAY -> decodeArrayEvent(cursor, batch);
            case MAP -> decodeMapEvent(cursor, batch);
            default -> throw new MalformedEventException("event is neither array nor map");
        }
    }

    private void decodeArrayEvent(MsgpackCursor cursor, Batch batch) throws MalformedEventException {
        int slots = cursor.readArray();
        if (slots == 0) {
            throw new MalformedEventException("event without a tag");
        }
        String tag = cursor.readString();
        EventFields fields = fieldsOf(tag, batch);
        for (int slot = 1; slot < slots; slot++) {
            fields.readSlot(slot, cursor);
        }
        add(fields, cursor, batch);
    }

    private void decodeMapEvent(MsgpackCursor cursor, Batch batch) throws MalformedEventException {
        int pairs = cursor.readMap();
        int start = cursor.position();
        String tag = tag(cursor, pairs);
        cursor.position(start);
        EventFields fields = fieldsOf(tag, batch);
        for (int i = 0; i < pairs; i++) {
            fields.readMember(cursor.readString(), cursor);
        }
        add(fields, cursor, batch);
    }

    /** The tag may stand anywhere, though publishers write it first. The last one wins. */
    private static String tag(MsgpackCursor cursor, int pairs) throws MalformedEventException {
        String tag = null;
        for (int i = 0; i < pairs; i++) {
            if (!cursor.readString().equals("type")) {
                cursor.skip();
                continue;
            }
            tag = cursor.readString();
            if (i == 0) {
                return tag;
            }
        }
        if (tag == null) {
            throw new MalformedEventException("event without a type");
        }
        return tag;
    }

    private EventFields fieldsOf(String tag, Batch batch) {
        switch (tag) {
            case STORED -> {
                return stored.cleared();
            }
            case REMOVED -> {
                return removed.cleared();
            }
            case CLEARED -> {
                return EventFields.CLEARED;
            }
            default -> {
                batch.unknown++;
                return EventFields.UNKNOWN;
            }
        }
    }

    private static void add(EventFields fields, MsgpackCursor cursor, Batch batch) throws MalformedEventException {
        KvEvent event = fields.built(cursor);
        if (event != null) {
            batch.events.add(event);
        }
        if (fields.hasUnknownMedium()) {
            batch.unknownMedia++;
        }
    }

    /** What has been read of a batch. */
    private static final class Batch {
        private final List<KvEvent> events = new ArrayList<>(FIRST_EVENTS);
        private double timestamp = Double.NaN;
        private int rank = -1;
        private int bad;
        private int unknown;
        private int unknownMedia;

        private KvEventBatch built() {
            return new KvEventBatch(timestamp, events, rank, bad, unknown, unknownMedia);
        }
    }
}
