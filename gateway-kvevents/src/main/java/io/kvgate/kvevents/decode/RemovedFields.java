package io.kvgate.kvevents.decode;

import io.kvgate.kvevents.event.CacheTier;
import io.kvgate.kvevents.event.KvEvent;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a BlockRemoved. By position: hashes, medium, group.
 *
 * <p>Threading: as the decoder that owns it.
 */
final class RemovedFields extends EventFields {
    private long @Nullable [] hashes;
    private @Nullable String medium;
    private @Nullable String locality;
    private int group;

    RemovedFields cleared() {
        hashes = null;
        medium = null;
        locality = null;
        group = KvEvent.NO_GROUP;
        return this;
    }

    @Override
    void readSlot(int slot, MsgpackCursor cursor) throws MalformedEventException {
        switch (slot) {
            case 1 -> hashes = WireValues.hashes(cursor);
            case 2 -> medium = WireValues.text(cursor);
            case 3 -> group = WireValues.group(cursor);
            default -> cursor.skip();
        }
    }

    @Override
    void readMember(String name, MsgpackCursor cursor) throws MalformedEventException {
        switch (name) {
            case "block_hashes" -> hashes = WireValues.hashes(cursor);
            case "medium" -> medium = WireValues.text(cursor);
            case "group_idx" -> group = WireValues.group(cursor);
            case "locality" -> locality = WireValues.text(cursor);
            default -> cursor.skip();
        }
    }

    @Override
    KvEvent built(MsgpackCursor cursor) throws MalformedEventException {
        if (hashes == null) {
            throw new MalformedEventException("removal without block hashes");
        }
        CacheTier tier = WireValues.isLocal(locality) ? CacheTier.of(medium) : CacheTier.NONE;
        return new KvEvent.BlockRemoved(hashes, tier, group);
    }

    @Override
    boolean hasUnknownMedium() {
        return !CacheTier.isKnown(medium);
    }
}
