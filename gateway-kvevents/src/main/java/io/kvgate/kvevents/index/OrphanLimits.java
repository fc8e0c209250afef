package io.kvgate.kvevents.index;

import java.time.Duration;

/**
 * How long, and how many, blocks wait for a parent that is not known.
 *
 * @param blocks per source; at least 1
 * @param age then they are dropped, which is safe
 */
public record OrphanLimits(int blocks, Duration age) {
    public static final OrphanLimits DEFAULT = new OrphanLimits(65_536, Duration.ofSeconds(60));

    public OrphanLimits {
        if (blocks < 1) {
            throw new IllegalArgumentException("blocks: " + blocks + " (expected: >= 1)");
        }
    }
}
