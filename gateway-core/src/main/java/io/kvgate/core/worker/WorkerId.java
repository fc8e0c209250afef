package io.kvgate.core.worker;

import java.util.UUID;

/** A worker's identity: a UUID that stays the same over updates. */
public record WorkerId(UUID uuid) {
    @Override
    public String toString() {
        return uuid.toString();
    }
}
