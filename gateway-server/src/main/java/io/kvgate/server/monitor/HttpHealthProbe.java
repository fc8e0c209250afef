package io.kvgate.server.monitor;

import io.kvgate.core.health.HealthProbe;
import io.kvgate.core.health.ProbeResult;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerStatus;
import java.util.function.Consumer;

/**
 * Asks a worker's health endpoint, with the worker's key; 2xx is healthy. A worker that is found up is first asked what it serves,
 * so that it takes no request before its models are known.
 *
 * <p>Threading: any thread; answers come on the threads of {@link WorkerHttp}.
 */
public final class HttpHealthProbe implements HealthProbe {
    private final WorkerHttp http;
    private final WorkerMetadataProbe metadata;

    public HttpHealthProbe(WorkerHttp http, WorkerMetadataProbe metadata) {
        this.http = http;
        this.metadata = metadata;
    }

    @Override
    public void probe(Worker worker, Consumer<ProbeResult> onResult) {
        HealthSettings settings = worker.spec().health();
        http.send(worker, WorkerHttp.Call.get(settings.endpoint(), settings.timeout()))
                .thenAccept(reply -> {
                    ProbeResult result = reply.answered()
                            ? ProbeResult.ofStatus(reply.status())
                            : ProbeResult.failed(reply.detail());
                    if (result.healthy() && worker.status() != WorkerStatus.READY) {
                        metadata.ask(worker).thenRun(() -> onResult.accept(result));
                    } else {
                        onResult.accept(result);
                    }
                });
    }
}
