package io.kvgate.bench.jmh;

import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.core.worker.WorkerPool;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * Ready workers with zero to three requests in flight each, and fresh reports of their engines' load.
 *
 * <p>Threading: made and changed by one thread; then as its parts.
 */
final class FleetState {
    private static final int IN_FLIGHT_STEPS = 4;

    private final Ticker ticker;
    private final WorkerRegistry registry;
    private final List<LoadGuard> stays = new ArrayList<>();

    FleetState(int workers, Ticker ticker, MetricsRegistry metrics) {
        this.ticker = ticker;
        registry = new WorkerRegistry(CircuitBreakerConfig.DEFAULT, ticker, metrics);
        for (int i = 0; i < workers; i++) {
            Worker worker = registry.add(WorkerSpec.of(URI.create("http://10.0." + i / 250 + "." + i % 250 + ":8000")));
            registry.setStatus(worker, WorkerStatus.READY, "");
            for (int stay = 0; stay < i % IN_FLIGHT_STEPS; stay++) {
                LoadGuard guard = worker.tryAcquire();
                if (guard == null) {
                    throw new IllegalStateException(worker + ": not available");
                }
                stays.add(guard);
            }
        }
        reportLoads();
    }

    /** Lets every engine say now that it runs what is in flight there. */
    void reportLoads() {
        for (Worker worker : registry.snapshot().workers()) {
            worker.reportLoad(new WorkerLoad(worker.inFlight(), 0, 0, 0, ticker.nanos()));
        }
    }

    WorkerPool pool() {
        return registry.snapshot().poolOfRole(WorkerRole.REGULAR);
    }

    /** Ends every stay. */
    void close() {
        stays.forEach(LoadGuard::close);
        stays.clear();
    }
}
