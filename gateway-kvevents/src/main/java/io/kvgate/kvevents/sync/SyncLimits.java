package io.kvgate.kvevents.sync;

import java.time.Duration;

/**
 * Bounds of a {@link SourceSync}.
 *
 * @param queuedMessages live messages kept while a replay runs; at least 1
 * @param queuedBytes their bytes together; at least 1
 * @param replayRounds how often a hole is asked for before it counts as permanent; at least 1
 * @param firstPause before a failed replay is tried again; doubles with each failure
 * @param longestPause where the doubling ends
 * @param idleProbe silence after which the source is asked whether its last message was lost
 */
public record SyncLimits(
        int queuedMessages,
        long queuedBytes,
        int replayRounds,
        Duration firstPause,
        Duration longestPause,
        Duration idleProbe) {
    public static final SyncLimits DEFAULT = new SyncLimits(
            10_000, 256L << 20, 3, Duration.ofMillis(100), Duration.ofSeconds(30), Duration.ofSeconds(30));

    public SyncLimits {
        if (queuedMessages < 1 || queuedBytes < 1 || replayRounds < 1) {
            throw new IllegalArgumentException("limits: below 1 (expected: >= 1)");
        }
    }
}
