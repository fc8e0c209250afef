package io.kvgate.core.worker;

/** What happened to a worker. Told in order, after the snapshot that shows it was published. */
public sealed interface WorkerEvent {
    Worker worker();

    record Added(Worker worker) implements WorkerEvent {}

    /** Spec or metadata changed. */
    record Updated(Worker worker) implements WorkerEvent {}

    record StatusChanged(Worker worker, WorkerStatus from, WorkerStatus to) implements WorkerEvent {}

    /** Gone from the registry: forget it and close what belongs to it. */
    record Removed(Worker worker) implements WorkerEvent {}
}
