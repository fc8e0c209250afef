package io.kvgate.server.observability;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.prometheus.PrometheusNamingConvention;
import org.jspecify.annotations.Nullable;

/**
 * Leaves the gateway's own meter names as they are, and gives those of the JVM the usual Prometheus form.
 *
 * <p>Threading: stateless.
 */
@SuppressWarnings("deprecation") // see PrometheusMetricsRegistry
final class ExactNames implements NamingConvention {
    private final NamingConvention prometheus = new PrometheusNamingConvention();

    static boolean isOurs(String name) {
        return name.startsWith("smg_") || name.startsWith("kvgate_");
    }

    @Override
    public String name(String name, Meter.Type type, @Nullable String baseUnit) {
        return isOurs(name) ? name : prometheus.name(name, type, baseUnit);
    }

    @Override
    public String tagKey(String key) {
        return prometheus.tagKey(key);
    }

    @Override
    public String tagValue(String value) {
        return value;
    }
}
