package io.kvgate.core.metrics;

import java.util.function.DoubleSupplier;

/**
 * Keeps nothing. It checks its arguments all the same, so that a wrong call is found without a real registry.
 *
 * <p>Threading: any thread; has no state.
 */
public final class NoopMetricsRegistry implements MetricsRegistry {
    private static final Counter COUNTER = amount -> {};
    private static final Gauge GAUGE = value -> {};
    private static final Histogram HISTOGRAM = value -> {};

    @Override
    public Counter counter(GatewayMeter meter, String... labelValues) {
        meter.check(GatewayMeter.Kind.COUNTER, labelValues);
        return COUNTER;
    }

    @Override
    public Gauge gauge(GatewayMeter meter, String... labelValues) {
        meter.check(GatewayMeter.Kind.GAUGE, labelValues);
        return GAUGE;
    }

    @Override
    public void observe(GatewayMeter meter, DoubleSupplier value, String... labelValues) {
        meter.check(GatewayMeter.Kind.GAUGE, labelValues);
    }

    @Override
    public Histogram histogram(GatewayMeter meter, String... labelValues) {
        meter.check(GatewayMeter.Kind.HISTOGRAM, labelValues);
        return HISTOGRAM;
    }

    @Override
    public void removeGauges(String label, String value) {}
}
