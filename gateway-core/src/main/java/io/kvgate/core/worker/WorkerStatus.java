package io.kvgate.core.worker;

import java.util.Locale;

/** A worker's life. Only {@link #READY} workers may be chosen. */
public enum WorkerStatus {
    /** Registered, not probed successfully yet. */
    PENDING,
    READY,
    /** Failed its health threshold; still probed. */
    NOT_READY,
    /** Leaves: takes nothing new, finishes what it has. */
    DRAINING,
    /** Not up within the start-up budget; still probed, slowly. */
    FAILED;

    /** Lower case, as in the workers API. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
