package io.kvgate.core.worker;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker.Condition;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All workers; writers publish a new snapshot per change.
 *
 * <p>Threading: any thread. Reading is one volatile read. Writers take one lock, change, publish, queue the event and let the
 * lock go; then one of them at a time tells the listeners, in the order of the changes. A listener may write: what it
 * causes is told after it has returned.
 */
public final class WorkerRegistry {
    /** An event with those who were listening when it happened: a later subscriber has learned of it from what it found. */
    private record Delivery(WorkerEvent event, List<Consumer<WorkerEvent>> listeners) {}

    private static final Logger log = LoggerFactory.getLogger(WorkerRegistry.class);

    private final CircuitBreakerConfig breakerConfig;
    private final Ticker ticker;
    private final MetricsRegistry metrics;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<URI, Worker> workers = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final Queue<Delivery> undelivered = new ArrayDeque<>();

    @GuardedBy("lock")
    private List<Consumer<WorkerEvent>> listeners;

    @GuardedBy("lock")
    private boolean delivering;

    private volatile WorkerSnapshot snapshot = new WorkerSnapshot(0, List.of());

    public WorkerRegistry(CircuitBreakerConfig breakerConfig, Ticker ticker, MetricsRegistry metrics) {
        this.breakerConfig = requireNonNull(breakerConfig, "breakerConfig");
        this.ticker = requireNonNull(ticker, "ticker");
        this.metrics = requireNonNull(metrics, "metrics");
        WorkerMeters meters = new WorkerMeters(metrics, this::snapshot);
        listeners = List.of(meters);
    }

    /** One volatile read. */
    public WorkerSnapshot snapshot() {
        return snapshot;
    }

    /**
     * Called in order, with no lock held, on the writer's thread or on that of a writer at the same time. Also told {@code Added}
     * for workers already there, before anything that happens later. What it throws is logged and stops nothing.
     */
    public void subscribe(Consumer<WorkerEvent> listener) {
        requireNonNull(listener, "listener");
        synchronized (lock) {
            for (Worker worker : workers.values()) {
                undelivered.add(new Delivery(new WorkerEvent.Added(worker), List.of(listener)));
            }
            List<Consumer<WorkerEvent>> more = new ArrayList<>(listeners);
            more.add(listener);
            listeners = List.copyOf(more);
        }
        deliver();
    }

    /** Registers a PENDING worker (READY if its health checks are disabled). @throws GatewayException WORKER_EXISTS */
    public Worker add(WorkerSpec spec) {
        requireNonNull(spec, "spec");
        Worker worker;
        synchronized (lock) {
            Worker present = workers.get(spec.url());
            if (present != null) {
                throw new GatewayException(
                        ErrorCode.WORKER_EXISTS, "worker " + present.id() + " is registered with this url");
            }
            worker = new Worker(spec, breakerConfig, ticker, metrics, this);
            workers.put(spec.url(), worker);
            publish(new WorkerEvent.Added(worker));
        }
        log.info("Worker {}: registered as {}, {}", worker.label(), spec.role().label(), worker.id());
        deliver();
        return worker;
    }

    /**
     * Changes what the operator says of it; breaker, load, status and id stay. The URL and role can't change. Switching its health
     * checks off makes it READY.
     *
     * @param change called with no lock held, and again if another update came between
     * @throws GatewayException WORKER_NOT_FOUND if it was removed; INVALID_REQUEST if url or role would change
     */
    public void update(Worker worker, UnaryOperator<WorkerSpec> change) {
        boolean done = false;
        while (!done) {
            WorkerSpec before = worker.spec();
            WorkerSpec after = change.apply(before);
            if (!after.url().equals(before.url()) || after.role() != before.role()) {
                throw new GatewayException(
                        ErrorCode.INVALID_REQUEST, "worker " + worker.id() + ": url and role can't be changed");
            }
            done = replaceSpec(worker, before, after);
        }
        deliver();
    }

    private boolean replaceSpec(Worker worker, WorkerSpec before, WorkerSpec after) {
        synchronized (lock) {
            if (!holds(worker)) {
                throw new GatewayException(ErrorCode.WORKER_NOT_FOUND, "worker " + worker.id() + " was removed");
            }
            if (!worker.spec().equals(before)) {
                return false;
            }
            if (!after.equals(before)) {
                worker.spec(after);
                publish(new WorkerEvent.Updated(worker));
            }
            if (after.health().disabled()) {
                changeStatus(worker, WorkerStatus.READY, "");
            }
            return true;
        }
    }

    /** Does nothing if it was removed, or nothing is new. */
    public void reportMetadata(Worker worker, WorkerMetadata metadata) {
        requireNonNull(metadata, "metadata");
        synchronized (lock) {
            if (!holds(worker) || worker.metadata().equals(metadata)) {
                return;
            }
            worker.metadata(metadata);
            publish(new WorkerEvent.Updated(worker));
        }
        deliver();
    }

    /**
     * Does nothing if it is DRAINING, or was removed. If it already has the status only the reason is kept, and nobody told. DRAINING
     * is {@link #drain}.
     */
    public void setStatus(Worker worker, WorkerStatus status, String reason) {
        if (status == WorkerStatus.DRAINING) {
            drain(worker, reason);
            return;
        }
        synchronized (lock) {
            changeStatus(worker, status, reason);
        }
        deliver();
    }

    /** Takes it out of selection; removes it as soon as nothing is in flight (checked when a guard closes). */
    public void drain(Worker worker, String reason) {
        synchronized (lock) {
            changeStatus(worker, WorkerStatus.DRAINING, reason);
        }
        deliver();
        if (worker.inFlight() == 0) {
            drained(worker);
        }
    }

    /** Removes it at once. Does nothing if it is gone. */
    public void remove(Worker worker, String reason) {
        boolean removed;
        synchronized (lock) {
            removed = holds(worker);
            if (removed) {
                workers.remove(worker.spec().url());
                publish(new WorkerEvent.Removed(worker));
            }
        }
        if (removed) {
            log.info("Worker {}: removed ({})", worker.label(), reason);
            deliver();
        }
    }

    /** A draining worker has nothing in flight (any more). May be told more than once. */
    void drained(Worker worker) {
        remove(worker, "drained: " + worker.statusReason());
    }

    @GuardedBy("lock")
    private void changeStatus(Worker worker, WorkerStatus status, String reason) {
        Condition before = worker.condition();
        if (!holds(worker) || before.status() == WorkerStatus.DRAINING) {
            return;
        }
        worker.condition(new Condition(status, reason));
        if (before.status() == status) {
            return;
        }
        publish(new WorkerEvent.StatusChanged(worker, before.status(), status));
        if (status == WorkerStatus.NOT_READY || status == WorkerStatus.FAILED) {
            log.warn("Worker {}: {} -> {} ({})", worker.label(), before.status(), status, reason);
        } else {
            log.info("Worker {}: {} -> {} ({})", worker.label(), before.status(), status, reason);
        }
    }

    @GuardedBy("lock")
    private boolean holds(Worker worker) {
        return workers.get(worker.spec().url()) == worker;
    }

    @GuardedBy("lock")
    private void publish(WorkerEvent event) {
        snapshot = new WorkerSnapshot(snapshot.version() + 1, workers.values());
        undelivered.add(new Delivery(event, listeners));
    }

    /** Tells what is queued, unless somebody is at it: that one goes on until the queue is empty. */
    private void deliver() {
        Delivery next = nextDelivery(true);
        while (next != null) {
            for (Consumer<WorkerEvent> listener : next.listeners) {
                tell(listener, next.event);
            }
            next = nextDelivery(false);
        }
    }

    private @Nullable Delivery nextDelivery(boolean first) {
        synchronized (lock) {
            if (first && delivering) {
                return null;
            }
            Delivery next = undelivered.poll();
            delivering = next != null;
            return next;
        }
    }

    private static void tell(Consumer<WorkerEvent> listener, WorkerEvent event) {
        try {
            listener.accept(event);
        } catch (Throwable e) {
            // Whatever it was, the events behind it must still be told.
            log.error("A listener failed on {}", event, e);
        }
    }
}
