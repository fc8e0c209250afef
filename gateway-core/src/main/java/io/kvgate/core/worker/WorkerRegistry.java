package io.kvgate.core.worker;

import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.Ticker;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Skeleton: API fixed, body to come. All workers; writers publish a new snapshot per change. */
public final class WorkerRegistry {
    public WorkerRegistry(CircuitBreakerConfig breakerConfig, Ticker ticker, MetricsRegistry metrics) {
        throw new UnsupportedOperationException();
    }

    /** One volatile read. */
    public WorkerSnapshot snapshot() {
        throw new UnsupportedOperationException();
    }

    /** Called on the writer's thread, in order, with no lock held. Also told {@code Added} for workers already there. */
    public void subscribe(Consumer<WorkerEvent> listener) {
        throw new UnsupportedOperationException();
    }

    /** Registers a PENDING worker (READY if its health checks are disabled). @throws io.kvgate.core.error.GatewayException WORKER_EXISTS */
    public Worker add(WorkerSpec spec) {
        throw new UnsupportedOperationException();
    }

    /** Changes what the operator says of it; breaker, load, status and id stay. The URL and role can't change. */
    public void update(Worker worker, UnaryOperator<WorkerSpec> change) {
        throw new UnsupportedOperationException();
    }

    public void reportMetadata(Worker worker, WorkerMetadata metadata) {
        throw new UnsupportedOperationException();
    }

    /** Does nothing if it already has the status, or is DRAINING, or was removed. */
    public void setStatus(Worker worker, WorkerStatus status, String reason) {
        throw new UnsupportedOperationException();
    }

    /** Takes it out of selection; removes it as soon as nothing is in flight (checked when a guard closes). */
    public void drain(Worker worker, String reason) {
        throw new UnsupportedOperationException();
    }

    /** Removes it at once. Does nothing if it is gone. */
    public void remove(Worker worker, String reason) {
        throw new UnsupportedOperationException();
    }
}
