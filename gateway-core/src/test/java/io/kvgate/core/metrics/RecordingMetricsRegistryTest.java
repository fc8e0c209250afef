package io.kvgate.core.metrics;

import org.jspecify.annotations.Nullable;

final class RecordingMetricsRegistryTest extends MetricsRegistryContract {
    private RecordingMetricsRegistry registry = new RecordingMetricsRegistry();

    @Override
    protected MetricsRegistry newRegistry() {
        registry = new RecordingMetricsRegistry();
        return registry;
    }

    @Override
    protected @Nullable Double read(GatewayMeter meter, String... labelValues) {
        return registry.value(meter, labelValues);
    }
}
