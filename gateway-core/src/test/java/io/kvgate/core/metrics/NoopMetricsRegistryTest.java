package io.kvgate.core.metrics;

import org.jspecify.annotations.Nullable;

final class NoopMetricsRegistryTest extends MetricsRegistryContract {
    @Override
    protected MetricsRegistry newRegistry() {
        return new NoopMetricsRegistry();
    }

    @Override
    protected @Nullable Double read(GatewayMeter meter, String... labelValues) {
        return null;
    }

    @Override
    protected boolean keepsValues() {
        return false;
    }
}
