package io.kvgate.core.worker;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Skeleton: API fixed, body to come. Immutable picture of all workers; a request reads one and keeps it. */
public final class WorkerSnapshot {
    WorkerSnapshot() {
        throw new UnsupportedOperationException();
    }

    /** Grows by one with each change. */
    public long version() {
        throw new UnsupportedOperationException();
    }

    /** In order of registration. */
    public List<Worker> workers() {
        throw new UnsupportedOperationException();
    }

    /** The pool of this role and model, or null if no worker of the role serves the model. */
    public @Nullable WorkerPool pool(WorkerRole role, String model) {
        throw new UnsupportedOperationException();
    }

    /** Every worker of the role whatever its model: the pool with model {@code unknown} is not meant. Key's model is {@code *}. */
    public WorkerPool poolOfRole(WorkerRole role) {
        throw new UnsupportedOperationException();
    }

    /** Names served by any worker (drained ones excluded), sorted, without {@code unknown}. */
    public List<String> models() {
        throw new UnsupportedOperationException();
    }

    public @Nullable Worker byId(WorkerId id) {
        throw new UnsupportedOperationException();
    }

    public @Nullable Worker byUrl(URI url) {
        throw new UnsupportedOperationException();
    }
}
