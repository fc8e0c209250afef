package io.kvgate.server.http;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.metrics.MetricsRegistry.Counter;
import io.kvgate.core.metrics.MetricsRegistry.Histogram;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what happens at the front. Handles are kept, so that counting costs one map look-up.
 *
 * <p>Threading: any thread.
 */
final class HttpMeters {
    private final MetricsRegistry registry;
    private final Map<List<String>, Counter> requests = new ConcurrentHashMap<>();
    private final Map<List<String>, Histogram> durations = new ConcurrentHashMap<>();
    private final Map<List<String>, Counter> responses = new ConcurrentHashMap<>();
    private final Map<List<String>, Counter> others = new ConcurrentHashMap<>();
    private final Map<List<String>, Histogram> otherDurations = new ConcurrentHashMap<>();
    private final LongAdder connections = new LongAdder();
    private final LongAdder inflight = new LongAdder();

    HttpMeters(MetricsRegistry registry) {
        this.registry = registry;
        registry.observe(GatewayMeter.HTTP_CONNECTIONS_ACTIVE, connections::sum);
        registry.observe(GatewayMeter.HTTP_REQUESTS_INFLIGHT, inflight::sum);
    }

    void connectionOpened() {
        connections.increment();
    }

    void connectionClosed() {
        connections.decrement();
    }

    long connections() {
        return connections.sum();
    }

    long inflight() {
        return inflight.sum();
    }

    void requestBegun(String method, String path) {
        inflight.increment();
        requests.computeIfAbsent(List.of(method, path), k -> registry.counter(GatewayMeter.HTTP_REQUESTS, method, path))
                .increment();
    }

    void requestEnded(String method, String path, double seconds) {
        inflight.decrement();
        durations
                .computeIfAbsent(
                        List.of(method, path),
                        k -> registry.histogram(GatewayMeter.HTTP_REQUEST_DURATION, method, path))
                .record(seconds);
    }

    void responded(int status, String errorCode) {
        String code = Integer.toString(status);
        responses
                .computeIfAbsent(
                        List.of(code, errorCode), k -> registry.counter(GatewayMeter.HTTP_RESPONSES, code, errorCode))
                .increment();
    }

    void count(GatewayMeter meter, long amount, String... labels) {
        others.computeIfAbsent(key(meter, labels), k -> registry.counter(meter, labels))
                .add(amount);
    }

    void record(GatewayMeter meter, double value, String... labels) {
        otherDurations
                .computeIfAbsent(key(meter, labels), k -> registry.histogram(meter, labels))
                .record(value);
    }

    private static List<String> key(GatewayMeter meter, String... labels) {
        String[] key = new String[labels.length + 1];
        key[0] = meter.name();
        System.arraycopy(labels, 0, key, 1, labels.length);
        return List.of(key);
    }
}
