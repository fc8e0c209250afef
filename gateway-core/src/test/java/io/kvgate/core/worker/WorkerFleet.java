package io.kvgate.core.worker;

import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.FakeTicker;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A registry of workers for tests that need some and care for no more.
 *
 * <p>Threading: as {@link WorkerRegistry}; {@link #workers} is for one thread.
 */
public final class WorkerFleet {
    private final FakeTicker ticker = new FakeTicker();
    private final WorkerRegistry registry =
            new WorkerRegistry(CircuitBreakerConfig.DEFAULT, ticker, new NoopMetricsRegistry());
    private final List<Worker> workers = new ArrayList<>();
    private final AtomicInteger nextPort = new AtomicInteger(8_000);

    /** That many READY regular workers of an unknown model. */
    public static WorkerFleet ready(int count) {
        WorkerFleet fleet = new WorkerFleet();
        for (int i = 0; i < count; i++) {
            fleet.add();
        }
        return fleet;
    }

    /** One more READY worker. */
    public Worker add() {
        return add(WorkerSpec.of(URI.create("http://127.0.0.1:" + nextPort.getAndIncrement())));
    }

    public Worker add(WorkerSpec spec) {
        Worker worker = registry.add(spec);
        registry.setStatus(worker, WorkerStatus.READY, "");
        workers.add(worker);
        return worker;
    }

    public void remove(Worker worker) {
        registry.remove(worker, "test");
        workers.remove(worker);
    }

    public void notReady(Worker worker) {
        registry.setStatus(worker, WorkerStatus.NOT_READY, "test");
    }

    /** Fails the worker until its breaker opens. */
    public void openBreaker(Worker worker) {
        for (int i = 0; i < CircuitBreakerConfig.DEFAULT.failureThreshold(); i++) {
            LoadGuard guard = worker.tryAcquire();
            if (guard == null) {
                throw new IllegalStateException(worker + ": not available");
            }
            guard.failed();
            guard.close();
        }
    }

    /** The pool of all regular workers, as it is now. */
    public WorkerPool pool() {
        return registry.snapshot().poolOfRole(WorkerRole.REGULAR);
    }

    /** In order of registration. */
    public List<Worker> workers() {
        return List.copyOf(workers);
    }

    public Worker worker(int index) {
        return workers.get(index);
    }

    public WorkerRegistry registry() {
        return registry;
    }

    public FakeTicker ticker() {
        return ticker;
    }
}
