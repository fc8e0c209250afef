package io.kvgate.kvevents.event;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where an engine keeps a block. The media that engines and connectors name are sorted into these classes. */
public enum CacheTier {
    /** The accelerator's memory: a hit costs nothing. */
    DEVICE(0),
    /** The host's memory: a hit costs a copy. */
    HOST(1),
    /** Disk, object store or the like, attached to the engine: a hit costs a read. */
    STORAGE(2),
    /** A place that is not the engine's own, or that nobody knows: no credit is given for it. */
    NONE(3);

    private static final CacheTier[] BY_INDEX = {DEVICE, HOST, STORAGE, NONE};
    private static final Map<String, CacheTier> BY_MEDIUM = Map.ofEntries(
            Map.entry("gpu", DEVICE),
            Map.entry("device", DEVICE),
            Map.entry("cpu", HOST),
            Map.entry("cpu_pinned", HOST),
            Map.entry("cpu_tier1", HOST),
            Map.entry("host", HOST),
            Map.entry("cpu_tier2", STORAGE),
            Map.entry("disk", STORAGE),
            Map.entry("nvme", STORAGE),
            Map.entry("fs", STORAGE),
            Map.entry("obj", STORAGE),
            Map.entry("storage", STORAGE),
            Map.entry("shared_storage", STORAGE),
            Map.entry("external", NONE),
            Map.entry("network", NONE),
            Map.entry("remote", NONE),
            Map.entry("shared", NONE));

    private final int index;

    CacheTier(int index) {
        this.index = index;
    }

    /** Its place among the tiers, best first, from 0. */
    public int index() {
        return index;
    }

    public static CacheTier ofIndex(int index) {
        return BY_INDEX[index];
    }

    /** @param medium as on the wire, in any case; null or empty means the accelerator; an unknown one is {@link #NONE} */
    public static CacheTier of(@Nullable String medium) {
        return medium == null || medium.isEmpty()
                ? DEVICE
                : BY_MEDIUM.getOrDefault(medium.toLowerCase(Locale.ROOT), NONE);
    }

    /** Whether the medium is one of the known names. */
    public static boolean isKnown(@Nullable String medium) {
        return medium == null || medium.isEmpty() || BY_MEDIUM.containsKey(medium.toLowerCase(Locale.ROOT));
    }
}
