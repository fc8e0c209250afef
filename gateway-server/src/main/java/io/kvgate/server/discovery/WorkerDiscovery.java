package io.kvgate.server.discovery;

import io.kvgate.core.worker.WorkerRegistry;

/** A source of workers. */
public interface WorkerDiscovery extends AutoCloseable {
    /** Begins to keep the registry as the source says. Called once; returns without waiting for workers to be up. */
    void start(WorkerRegistry registry);

    /** Stops watching. Workers stay. May be called again. */
    @Override
    void close();
}
