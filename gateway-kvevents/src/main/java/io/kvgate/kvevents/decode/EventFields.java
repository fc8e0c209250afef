package io.kvgate.kvevents.decode;

import io.kvgate.kvevents.event.KvEvent;
import org.jspecify.annotations.Nullable;

/**
 * Collects the fields of one event, whether they come by position or by name.
 *
 * <p>Threading: as the decoder that owns it.
 */
abstract class EventFields {
    /** Of an event that says no more than its tag. */
    static final EventFields CLEARED = new TagOnly(new KvEvent.AllBlocksCleared());

    /** Of an event whose tag nobody knows. */
    static final EventFields UNKNOWN = new TagOnly(null);

    /** @param slot 1 for the first after the tag */
    abstract void readSlot(int slot, MsgpackCursor cursor) throws MalformedEventException;

    abstract void readMember(String name, MsgpackCursor cursor) throws MalformedEventException;

    /**
     * The event; null if it says nothing.
     *
     * @param cursor may be moved within the event, and is put back
     * @throws MalformedEventException what was read doesn't make an event
     */
    abstract @Nullable KvEvent built(MsgpackCursor cursor) throws MalformedEventException;

    boolean hasUnknownMedium() {
        return false;
    }

    private static final class TagOnly extends EventFields {
        private final @Nullable KvEvent event;

        TagOnly(@Nullable KvEvent event) {
            this.event = event;
        }

        @Override
        void readSlot(int slot, MsgpackCursor cursor) throws MalformedEventException {
            cursor.skip();
        }

        @Override
        void readMember(String name, MsgpackCursor cursor) throws MalformedEventException {
            cursor.skip();
        }

        @Override
        @Nullable
        KvEvent built(MsgpackCursor cursor) {
            return event;
        }
    }
}
