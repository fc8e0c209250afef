package io.kvgate.server.monitor;

import io.kvgate.core.health.HealthProbe;
import io.kvgate.core.health.ProbeResult;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.monitor.WorkerHttp.Call;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Probes a worker's health endpoint with the worker's key: any 2xx is healthy. A worker that is not ready yet is called healthy only
 * once its metadata was asked, so that it never takes requests under an unknown model for want of a moment.
 *
 * <p>Threading: any thread; results come on the threads of {@link WorkerHttp}.
 */
public final class HttpHealthProbe implements HealthProbe {
    /** Below what the health monitor grants a probe beyond its time-out while a worker is not ready. */
    private static final Duration METADATA_WAIT = Duration.ofSeconds(8);

    private final WorkerHttp http;
    private final WorkerMetadataProbe metadata;
    private final Duration metadataWait;

    public HttpHealthProbe(WorkerHttp http, WorkerMetadataProbe metadata) {
        this(http, metadata, METADATA_WAIT);
    }

    HttpHealthProbe(WorkerHttp http, WorkerMetadataProbe metadata, Duration metadataWait) {
        this.http = http;
        this.metadata = metadata;
        this.metadataWait = metadataWait;
    }

    @Override
    public void probe(Worker worker, Consumer<ProbeResult> onResult) {
        HealthSettings settings = worker.spec().health();
        var unused = http.send(worker, Call.get(settings.endpoint(), settings.timeout()))
                .thenAccept(reply -> {
                    if (!reply.answered()) {
                        onResult.accept(ProbeResult.failed(reply.failure()));
                    } else if (!reply.ok() || worker.status() == WorkerStatus.READY) {
                        onResult.accept(ProbeResult.ofStatus(reply.status()));
                    } else {
                        awaitMetadata(worker, onResult);
                    }
                });
    }

    /** What is not known in time is known to a later probe: the question goes on meanwhile. */
    private void awaitMetadata(Worker worker, Consumer<ProbeResult> onResult) {
        var unused = metadata.ask(worker)
                .thenApply(known -> true)
                .completeOnTimeout(false, metadataWait.toMillis(), TimeUnit.MILLISECONDS)
                .thenAccept(known -> onResult.accept(
                        known ? ProbeResult.ok() : ProbeResult.failed("healthy, but has not told its model yet")));
    }
}
