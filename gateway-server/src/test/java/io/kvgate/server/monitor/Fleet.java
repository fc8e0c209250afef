package io.kvgate.server.monitor;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.FakeTicker;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerMetadata;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A registry, a way to call workers and stub engines for one test. */
public final class Fleet implements AutoCloseable {
    public final FakeTicker ticker = new FakeTicker();
    public final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
    public final WorkerHttp http = new WorkerHttp(Duration.ofSeconds(5));
    public final WorkerRegistry registry = new WorkerRegistry(
            new CircuitBreakerConfig(2, 1, Duration.ofSeconds(60), Duration.ofSeconds(120), true), ticker, metrics);
    private final List<StubEngine> engines = new ArrayList<>();

    public StubEngine engine() {
        StubEngine engine = new StubEngine();
        engines.add(engine);
        return engine;
    }

    public static WorkerSpec spec(URI url, @Nullable String apiKey) {
        return new WorkerSpec(url, WorkerRole.REGULAR, null, apiKey, 50, 1.0, Map.of(), null, HealthSettings.DEFAULT);
    }

    public Worker pending(URI url, @Nullable String apiKey) {
        return registry.add(spec(url, apiKey));
    }

    /** A READY worker that is known to serve these models. */
    public Worker ready(StubEngine engine, String kind, String... models) {
        Worker worker = pending(engine.url(), null);
        registry.reportMetadata(worker, new WorkerMetadata(List.of(models), kind, 1, 0, Map.of()));
        registry.setStatus(worker, WorkerStatus.READY, "");
        return worker;
    }

    /** A loopback URL that refuses connections. */
    public static URI deadUrl() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A counter's value; 0 if it has never counted. */
    public long count(GatewayMeter meter, String... labels) {
        Double value = metrics.value(meter, labels);
        return value == null ? 0 : value.longValue();
    }

    @Override
    public void close() {
        engines.forEach(StubEngine::close);
        http.close();
    }
}
