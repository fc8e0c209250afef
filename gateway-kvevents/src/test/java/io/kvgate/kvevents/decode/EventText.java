package io.kvgate.kvevents.decode;

import io.kvgate.kvevents.event.CacheTier;
import io.kvgate.kvevents.event.KvEvent;
import io.kvgate.kvevents.event.KvEventBatch;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Batches as short texts, for tables of expectations. Hashes are signed. */
final class EventText {
    private EventText() {}

    static String of(KvEventBatch batch) {
        String events = batch.events().stream().map(EventText::of).collect(Collectors.joining("; "));
        return "rank " + batch.rank() + ": " + events
                + (batch.badEvents() > 0 ? " bad=" + batch.badEvents() : "")
                + (batch.unknownEvents() > 0 ? " unknown=" + batch.unknownEvents() : "")
                + (batch.unknownMedia() > 0 ? " media=" + batch.unknownMedia() : "");
    }

    static String of(KvEvent event) {
        if (event instanceof KvEvent.BlockStored stored) {
            return of(stored);
        }
        if (event instanceof KvEvent.BlockRemoved removed) {
            return "removed " + Arrays.toString(removed.hashes()) + tier(removed.tier()) + group(removed.group());
        }
        return "cleared";
    }

    private static String of(KvEvent.BlockStored stored) {
        return "stored " + Arrays.toString(stored.hashes())
                + (stored.hasParent() ? " after " + stored.parent() : "")
                + " tokens " + Arrays.toString(stored.tokens())
                + " by " + stored.blockSize()
                + (stored.loraName() == null ? "" : " lora " + stored.loraName())
                + (stored.salt() == null ? "" : " salt " + stored.salt())
                + (stored.extras() == null
                        ? ""
                        : " extras "
                                + Arrays.stream(stored.extras())
                                        .mapToObj(extra -> extra == 0 ? "-" : "x")
                                        .collect(Collectors.joining()))
                + tier(stored.tier())
                + group(stored.group())
                + (stored.kind() == null ? "" : " " + stored.kind());
    }

    private static String tier(CacheTier tier) {
        return tier == CacheTier.DEVICE ? "" : " at " + tier;
    }

    private static String group(int group) {
        return group == KvEvent.NO_GROUP ? "" : " group " + group;
    }
}
