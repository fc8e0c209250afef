package io.kvgate.server.observability;

import io.kvgate.core.metrics.MetricsRegistry;
import io.micrometer.core.instrument.Meter;
import java.util.function.DoubleSupplier;

/**
 * One gauge series: what it reads, and Micrometer's meter that reads it. After its removal a kept handle still takes values,
 * but nobody reads them.
 *
 * <p>Threading: any thread; the last writer of {@link Source} wins.
 */
final class GaugeCell implements MetricsRegistry.Gauge {
    /** Where the value comes from: a supplier, which for a gauge that is set is a constant. */
    static final class Source {
        private volatile DoubleSupplier supplier = () -> 0;

        double value() {
            return supplier.getAsDouble();
        }
    }

    private final Source source;
    private final Meter meter;

    GaugeCell(Source source, Meter meter) {
        this.source = source;
        this.meter = meter;
    }

    @Override
    public void set(double value) {
        source.supplier = () -> value;
    }

    void observe(DoubleSupplier supplier) {
        source.supplier = supplier;
    }

    Meter meter() {
        return meter;
    }
}
