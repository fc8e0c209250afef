package io.kvgate.server.routing;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.metrics.MetricsRegistry.Counter;
import io.kvgate.core.metrics.MetricsRegistry.Histogram;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts what happens between choice and answer. Handles are kept, so that counting costs one map look-up.
 *
 * <p>Threading: any thread.
 */
public final class RoutingMeters {
    private static final String HTTP = "http";
    private static final String REGULAR = "regular";

    private final MetricsRegistry registry;
    private final Map<List<String>, Counter> selections = new ConcurrentHashMap<>();
    private final Map<List<String>, Counter> responses = new ConcurrentHashMap<>();
    private final Map<List<String>, Counter> errors = new ConcurrentHashMap<>();
    private final Map<String, Counter> retries = new ConcurrentHashMap<>();
    private final Map<String, Counter> exhausted = new ConcurrentHashMap<>();
    private final Map<Integer, Histogram> backoffs = new ConcurrentHashMap<>();
    private final Map<String, Histogram> overheads = new ConcurrentHashMap<>();
    private final Counter stale;

    public RoutingMeters(MetricsRegistry registry) {
        this.registry = registry;
        stale = registry.counter(GatewayMeter.UPSTREAM_STALE_CONNECTIONS);
    }

    void selected(String model, String policy) {
        selections
                .computeIfAbsent(
                        List.of(model, policy),
                        k -> registry.counter(GatewayMeter.WORKER_SELECTION, REGULAR, HTTP, model, policy))
                .increment();
    }

    void response(String status, String errorCode) {
        responses
                .computeIfAbsent(
                        List.of(status, errorCode),
                        k -> registry.counter(GatewayMeter.UPSTREAM_RESPONSES, HTTP, status, errorCode))
                .increment();
    }

    void attemptFailed(String errorType) {
        errors.computeIfAbsent(
                        List.of(errorType), k -> registry.counter(GatewayMeter.WORKER_ERRORS, REGULAR, HTTP, errorType))
                .increment();
    }

    void retry(String endpoint, int attempt, double pauseSeconds) {
        retries.computeIfAbsent(endpoint, e -> registry.counter(GatewayMeter.WORKER_RETRIES, REGULAR, e))
                .increment();
        backoffs.computeIfAbsent(
                        attempt, a -> registry.histogram(GatewayMeter.WORKER_RETRY_BACKOFF, Integer.toString(a)))
                .record(pauseSeconds);
    }

    void exhausted(String endpoint) {
        exhausted
                .computeIfAbsent(endpoint, e -> registry.counter(GatewayMeter.WORKER_RETRIES_EXHAUSTED, REGULAR, e))
                .increment();
    }

    void overhead(String endpoint, double seconds) {
        overheads
                .computeIfAbsent(endpoint, e -> registry.histogram(GatewayMeter.GATEWAY_OVERHEAD, e))
                .record(seconds);
    }

    void staleConnection() {
        stale.increment();
    }
}
