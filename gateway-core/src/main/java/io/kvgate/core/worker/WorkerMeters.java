package io.kvgate.core.worker;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Keeps the gauges of workers and pools in step with the registry: there from the registration on, gone with the worker.
 *
 * <p>Threading: confined to the delivery of events, which is one at a time.
 */
final class WorkerMeters implements Consumer<WorkerEvent> {
    /** Every worker speaks HTTP. */
    private static final String CONNECTION_MODE = "http";

    private final MetricsRegistry metrics;
    private final Supplier<WorkerSnapshot> snapshots;
    private Map<PoolKey, Integer> sizes = new HashMap<>();

    WorkerMeters(MetricsRegistry metrics, Supplier<WorkerSnapshot> snapshots) {
        this.metrics = metrics;
        this.snapshots = snapshots;
    }

    @Override
    public void accept(WorkerEvent event) {
        Worker worker = event.worker();
        if (event instanceof WorkerEvent.Added) {
            observe(worker);
        } else if (event instanceof WorkerEvent.Removed) {
            metrics.removeGauges("worker", worker.label());
        }
        if (!(event instanceof WorkerEvent.StatusChanged)) {
            updatePoolSizes();
        }
    }

    private void observe(Worker worker) {
        String label = worker.label();
        metrics.observe(GatewayMeter.WORKER_HEALTH, () -> worker.status() == WorkerStatus.READY ? 1 : 0, label);
        metrics.observe(GatewayMeter.WORKER_REQUESTS_ACTIVE, worker::inFlight, label);
        metrics.observe(
                GatewayMeter.WORKER_CB_STATE, () -> worker.breaker().state().number(), label);
        metrics.observe(GatewayMeter.WORKER_CB_FAILURES, () -> worker.breaker().consecutiveFailures(), label);
        metrics.observe(GatewayMeter.WORKER_CB_SUCCESSES, () -> worker.breaker().halfOpenSuccesses(), label);
    }

    private void updatePoolSizes() {
        Map<PoolKey, Integer> now = new HashMap<>();
        Set<String> models = new HashSet<>();
        for (WorkerPool pool : snapshots.get().pools()) {
            now.put(pool.key(), pool.members().size());
            models.add(pool.key().model());
        }
        for (PoolKey gone : sizes.keySet()) {
            if (!now.containsKey(gone)) {
                if (models.contains(gone.model())) {
                    // Another role still serves the model, and series go by model only.
                    set(gone, 0);
                } else {
                    metrics.removeGauges("model", gone.model());
                }
            }
        }
        now.forEach((key, size) -> {
            if (!size.equals(sizes.get(key))) {
                set(key, size);
            }
        });
        sizes = now;
    }

    private void set(PoolKey key, int size) {
        metrics.gauge(GatewayMeter.WORKER_POOL_SIZE, key.role().label(), CONNECTION_MODE, key.model())
                .set(size);
    }
}
