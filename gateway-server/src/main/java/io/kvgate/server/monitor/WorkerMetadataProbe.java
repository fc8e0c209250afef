package io.kvgate.server.monitor;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerMetadata;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.monitor.WorkerHttp.Call;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks an engine who it is: models, engine, ranks, size of the KV pool. Once per appearance of a worker; the health probe waits for
 * the answer before it calls the worker healthy, so that no request meets a worker whose model is not known yet.
 *
 * <p>Threading: any thread.
 */
public final class WorkerMetadataProbe {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerMetadataProbe.class);
    private static final int TRIES = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /**
     * One worker's question.
     *
     * @param apiKey the key it was asked with
     * @param settled completes when metadata was reported or given up; never fails
     */
    private record Asked(@Nullable String apiKey, CompletableFuture<Void> settled) {}

    private final WorkerRegistry registry;
    private final WorkerHttp http;
    private final Duration retryPause;
    private final Map<Worker, Asked> asked = new ConcurrentHashMap<>();

    /** Pauses {@code retryPause} between tries. */
    public WorkerMetadataProbe(WorkerRegistry registry, WorkerHttp http, Duration retryPause) {
        this.registry = registry;
        this.http = http;
        this.retryPause = retryPause;
        registry.subscribe(this::onEvent);
    }

    private void onEvent(WorkerEvent event) {
        Worker worker = event.worker();
        if (event instanceof WorkerEvent.Removed) {
            asked.remove(worker);
        } else if (event instanceof WorkerEvent.Added && worker.status() == WorkerStatus.READY) {
            // Never probed, as its health checks are off: nothing else would ask it.
            begin(worker);
        } else if (event instanceof WorkerEvent.StatusChanged change) {
            WorkerStatus to = change.to();
            if (to == WorkerStatus.NOT_READY || to == WorkerStatus.FAILED) {
                // It may come back as another engine.
                asked.remove(worker);
            } else if (to == WorkerStatus.READY) {
                // Asked by its health probe already, unless its checks were switched off just now.
                begin(worker);
            }
        } else if (event instanceof WorkerEvent.Updated) {
            Asked before = asked.get(worker);
            boolean otherKey = before != null
                    && !Objects.equals(before.apiKey(), worker.spec().apiKey());
            if (otherKey && asked.remove(worker, before)) {
                begin(worker);
            }
        }
    }

    private void begin(Worker worker) {
        // Nobody waits for it here, and it never fails.
        var unused = ask(worker);
    }

    /** Asks, unless that was done since the worker appeared. Completes when its metadata is known or given up; never fails. */
    public CompletableFuture<Void> ask(Worker worker) {
        Asked mine = new Asked(worker.spec().apiKey(), new CompletableFuture<>());
        Asked before = asked.putIfAbsent(worker, mine);
        if (before != null) {
            return before.settled();
        }
        if (registry.snapshot().byId(worker.id()) != worker) {
            asked.remove(worker, mine);
        }
        attempt(worker, 1, mine.settled());
        return mine.settled();
    }

    /**
     * What one try found.
     *
     * @param metadata what is known after it
     * @param any whether anything was answered that can be used
     * @param worthRetry whether some answer may be better in a moment
     * @param detail what came of the question for models, for the log
     */
    private record Findings(WorkerMetadata metadata, boolean any, boolean worthRetry, String detail) {}

    private void attempt(Worker worker, int number, CompletableFuture<Void> settled) {
        var unused = gather(worker).whenComplete((found, defect) -> {
            if (found == null) {
                LOG.error("worker {}: reading its metadata failed", worker.id(), defect);
                settled.complete(null);
                return;
            }
            boolean nameless = nameless(worker, found.metadata());
            if (nameless && found.worthRetry() && number < TRIES) {
                CompletableFuture.delayedExecutor(retryPause.toMillis(), TimeUnit.MILLISECONDS)
                        .execute(() -> attempt(worker, number + 1, settled));
                return;
            }
            settle(worker, found, nameless, settled);
        });
    }

    private void settle(Worker worker, Findings found, boolean nameless, CompletableFuture<Void> settled) {
        try {
            if (found.any()) {
                registry.reportMetadata(worker, found.metadata());
            }
            if (nameless) {
                LOG.warn("worker {}: the engine does not tell its model ({})", worker.id(), found.detail());
            }
        } finally {
            settled.complete(null);
        }
    }

    private static boolean nameless(Worker worker, WorkerMetadata metadata) {
        return metadata.modelIds().isEmpty() && worker.spec().modelId() == null;
    }

    private CompletableFuture<Findings> gather(Worker worker) {
        CompletableFuture<WorkerReply> server = either(worker, "/server_info", "/get_server_info");
        CompletableFuture<WorkerReply> model = either(worker, "/model_info", "/get_model_info");
        CompletableFuture<WorkerReply> models = http.send(worker, Call.get("/v1/models", TIMEOUT));
        return CompletableFuture.allOf(server, model, models)
                .thenCompose(done -> evaluate(worker, List.of(server.join(), model.join(), models.join())));
    }

    private CompletableFuture<WorkerReply> either(Worker worker, String path, String olderPath) {
        return http.send(worker, Call.get(path, TIMEOUT))
                .thenCompose(reply -> EngineJson.object(reply) != null || !reply.answered()
                        ? CompletableFuture.completedFuture(reply)
                        : http.send(worker, Call.get(olderPath, TIMEOUT)));
    }

    private CompletableFuture<Findings> evaluate(Worker worker, List<WorkerReply> replies) {
        EngineFacts facts = new EngineFacts(
                EngineJson.object(replies.get(0)),
                EngineJson.object(replies.get(1)),
                EngineJson.object(replies.get(2)));
        WorkerMetadata metadata = facts.metadata(0);
        // 4xx is an answer: the engine doesn't offer that. Anything else may be better in a moment.
        boolean worthRetry = replies.stream().anyMatch(reply -> reply.status() < 400 || reply.status() >= 500);
        Findings findings = new Findings(metadata, facts.any(), worthRetry, describe(replies.get(2)));
        boolean complete = metadata.kvPoolTokens() > 0 || metadata.engine().equals("sglang");
        if (complete || !facts.any() || (worthRetry && nameless(worker, metadata))) {
            return CompletableFuture.completedFuture(findings);
        }
        return http.send(worker, Call.metrics(TIMEOUT)).thenApply(reply -> {
            long tokens = reply.ok() ? EngineFacts.poolTokens(reply.body()) : 0;
            return new Findings(facts.metadata(tokens), true, worthRetry, findings.detail());
        });
    }

    private static String describe(WorkerReply reply) {
        if (!reply.ok()) {
            return "/v1/models: " + reply.detail();
        }
        return EngineJson.object(reply) == null ? "/v1/models: no JSON object" : "/v1/models: no model in it";
    }
}
