package io.kvgate.server.discovery;

import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerSpec;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workers named at start. They are registered whether they are up or not; health checks find out. */
public final class StaticDiscovery implements WorkerDiscovery {
    private static final Logger LOG = LoggerFactory.getLogger(StaticDiscovery.class);
    private static final String SOURCE = "static";

    private final List<WorkerSpec> specs;
    private final MetricsRegistry metrics;

    public StaticDiscovery(List<WorkerSpec> specs, MetricsRegistry metrics) {
        this.specs = List.copyOf(specs);
        this.metrics = metrics;
    }

    @Override
    public void start(WorkerRegistry registry) {
        for (WorkerSpec spec : specs) {
            try {
                Worker worker = registry.add(spec);
                LOG.info("worker {}: registered, {}", worker.id(), spec.url());
                count("success");
            } catch (GatewayException refused) {
                LOG.warn("worker at {}: not registered: {}", spec.url(), refused.message());
                count("duplicate");
            }
        }
    }

    private void count(String result) {
        metrics.counter(GatewayMeter.DISCOVERY_REGISTRATIONS, SOURCE, result).increment();
    }

    @Override
    public void close() {
        // Nothing is watched.
    }
}
