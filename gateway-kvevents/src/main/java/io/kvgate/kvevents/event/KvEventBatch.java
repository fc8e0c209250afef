package io.kvgate.kvevents.event;

import java.util.List;

/**
 * What one engine step changed. Order counts.
 *
 * @param timestampSeconds the engine's clock, seconds since 1970; NaN if unusable
 * @param events those that could be read, in order
 * @param rank data-parallel rank; −1 if not told
 * @param badEvents events of a known kind that could not be read, and were left out
 * @param unknownEvents events of an unknown kind, left out
 * @param unknownMedia stores and removals at a medium nobody knows
 */
public record KvEventBatch(
        double timestampSeconds, List<KvEvent> events, int rank, int badEvents, int unknownEvents, int unknownMedia) {
    public KvEventBatch {
        events = List.copyOf(events);
    }
}
