package io.kvgate.core.worker;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.resilience.CircuitBreaker;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.Ticker;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica (or one data-parallel rank of it), from its registration to its removal. A URL that is removed and added again is a
 * new worker with a new id.
 *
 * <p>Threading: any thread. What the operator, the engine and the probes say is written by {@link WorkerRegistry} only, each into one
 * volatile reference; the counts are atomic.
 */
public final class Worker {
    /** The model of a worker that has named none. */
    public static final String UNKNOWN_MODEL = "unknown";

    /** Status and reason change together. */
    record Condition(WorkerStatus status, String reason) {}

    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    private static final long NEVER = Long.MIN_VALUE;

    private final WorkerId id;
    private final CircuitBreaker breaker;
    private final Ticker ticker;
    private final WorkerRegistry registry;
    private final MetricsRegistry metrics;
    private final MetricsRegistry.Counter successes;
    private final MetricsRegistry.Counter failures;
    private final AtomicInteger inFlight = new AtomicInteger();

    private volatile WorkerSpec spec;
    private volatile WorkerMetadata metadata = WorkerMetadata.UNKNOWN;
    private volatile List<String> modelIds;
    private volatile Condition condition;
    private volatile @Nullable LoadReport loadReport;
    private volatile long lastSuccessNanos = NEVER;
    private volatile long restsUntilNanos = NEVER;

    Worker(
            WorkerSpec spec,
            CircuitBreakerConfig breakerConfig,
            Ticker ticker,
            MetricsRegistry metrics,
            WorkerRegistry registry) {
        id = new WorkerId(UUID.randomUUID());
        this.spec = spec;
        this.ticker = ticker;
        this.metrics = metrics;
        this.registry = registry;
        modelIds = modelsOf(spec, metadata);
        condition = new Condition(spec.health().disabled() ? WorkerStatus.READY : WorkerStatus.PENDING, "");
        successes = metrics.counter(GatewayMeter.WORKER_CB_OUTCOMES, label(), "success");
        failures = metrics.counter(GatewayMeter.WORKER_CB_OUTCOMES, label(), "failure");
        breaker = new CircuitBreaker(breakerConfig, ticker, this::breakerMoved);
    }

    public WorkerId id() {
        return id;
    }

    public WorkerSpec spec() {
        return spec;
    }

    public WorkerMetadata metadata() {
        return metadata;
    }

    /** Models it serves, main one first: the spec's override, else the metadata's, else {@code unknown}. Never empty. */
    public List<String> modelIds() {
        return modelIds;
    }

    public WorkerStatus status() {
        return condition.status;
    }

    /** Why it has its status, in words for the API; empty if there is nothing to say. */
    public String statusReason() {
        return condition.reason;
    }

    public CircuitBreaker breaker() {
        return breaker;
    }

    /** Requests from choice to end of body. Never negative. */
    public int inFlight() {
        return inFlight.get();
    }

    /** The engine's last word on its load; null if the last poll failed or there was none. */
    public @Nullable WorkerLoad load() {
        LoadReport report = loadReport;
        return report == null ? null : report.load();
    }

    /** The same, with what this gateway had in flight at that moment. */
    public @Nullable LoadReport loadReport() {
        return loadReport;
    }

    /** Null: the load is not known (any more). */
    public void reportLoad(@Nullable WorkerLoad load) {
        loadReport = load == null ? null : new LoadReport(load, inFlight.get());
    }

    /** Whether a request has ended well here at or after that moment of the ticker. Stands in for a health probe. */
    public boolean succeededSince(long nanos) {
        long last = lastSuccessNanos;
        return last != NEVER && last - nanos >= 0;
    }

    /** READY and its breaker would admit. Cheap: called per candidate. */
    public boolean available() {
        return condition.status == WorkerStatus.READY && breaker.wouldAdmit();
    }

    /** The engine said that it is full and when to come back: it is chosen only if no other is available until then. */
    public void rest(long nanos) {
        restsUntilNanos = ticker.nanos() + nanos;
    }

    /** Whether it asked to be left alone and the time is not over. Cheap: called per candidate. */
    public boolean resting() {
        long until = restsUntilNanos;
        return until != NEVER && until - ticker.nanos() > 0;
    }

    /** Takes the breaker's permit and counts the request in one step; null if it is not available (any more). */
    public @Nullable LoadGuard tryAcquire() {
        // Counted before the status is read: a drain sets the status before it reads the count, so one of both sees the
        // other.
        inFlight.incrementAndGet();
        if (condition.status == WorkerStatus.READY) {
            CircuitBreaker.Permit permit = breaker.tryAcquire();
            if (permit != null) {
                return new Stay(this, permit);
            }
        }
        leave();
        return null;
    }

    /** URL and status, for logs. */
    @Override
    public String toString() {
        return spec.url() + " (" + condition.status.label() + ")";
    }

    /** The value of the metric label {@code worker}. */
    String label() {
        return spec.url().toString();
    }

    Condition condition() {
        return condition;
    }

    void condition(Condition next) {
        condition = next;
    }

    void spec(WorkerSpec next) {
        spec = next;
        modelIds = modelsOf(next, metadata);
    }

    void metadata(WorkerMetadata next) {
        metadata = next;
        modelIds = modelsOf(spec, next);
    }

    void succeeded() {
        lastSuccessNanos = ticker.nanos();
        successes.increment();
    }

    void failed() {
        failures.increment();
    }

    void leave() {
        if (inFlight.decrementAndGet() == 0 && condition.status == WorkerStatus.DRAINING) {
            registry.drained(this);
        }
    }

    private void breakerMoved(CircuitBreaker.State from, CircuitBreaker.State to) {
        metrics.counter(GatewayMeter.WORKER_CB_TRANSITIONS, label(), name(from), name(to))
                .increment();
        if (to == CircuitBreaker.State.OPEN) {
            log.warn("Worker {}: breaker {} -> {}", label(), name(from), name(to));
        } else {
            log.info("Worker {}: breaker {} -> {}", label(), name(from), name(to));
        }
    }

    private static String name(CircuitBreaker.State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static List<String> modelsOf(WorkerSpec spec, WorkerMetadata metadata) {
        if (spec.modelId() != null) {
            return List.of(spec.modelId());
        }
        List<String> told = metadata.modelIds();
        return told.isEmpty() ? List.of(UNKNOWN_MODEL) : told;
    }
}
