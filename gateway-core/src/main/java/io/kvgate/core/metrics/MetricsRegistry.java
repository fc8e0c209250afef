package io.kvgate.core.metrics;

import java.util.function.DoubleSupplier;

/**
 * Where meters live. Callers look a handle up once and keep it; a look-up costs more than an event.
 *
 * <p>Threading: all methods may be called from any thread; handles may be shared.
 *
 * <p>Label values are given in the order of {@link GatewayMeter#labels()}; a wrong count or a wrong kind of meter throws {@link
 * IllegalArgumentException}. Asking twice for the same series gives handles on the same value.
 */
public interface MetricsRegistry {
    /** A number that only grows. */
    interface Counter {
        void add(long amount);

        default void increment() {
            add(1);
        }
    }

    /** A number that is set. */
    interface Gauge {
        void set(double value);
    }

    /** A distribution, in the unit of its meter. */
    interface Histogram {
        void record(double value);
    }

    Counter counter(GatewayMeter meter, String... labelValues);

    Gauge gauge(GatewayMeter meter, String... labelValues);

    /** A gauge that is read at each scrape. The registry keeps {@code value} until the series is removed. */
    void observe(GatewayMeter meter, DoubleSupplier value, String... labelValues);

    Histogram histogram(GatewayMeter meter, String... labelValues);

    /** Removes all gauge series of any meter whose label {@code label} has this value; counters stay. */
    void removeGauges(String label, String value);
}
