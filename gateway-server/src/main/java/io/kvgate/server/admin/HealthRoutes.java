package io.kvgate.server.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerMetadata;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute.Access;
import io.kvgate.server.monitor.WorkerHttp;
import io.kvgate.server.monitor.WorkerHttp.Call;
import io.kvgate.server.monitor.WorkerReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** The probes: {@code /liveness}, {@code /health}, {@code /readiness}, {@code /health_generate}. */
final class HealthRoutes {
    private static final Duration GENERATE_TIMEOUT = Duration.ofSeconds(20);

    private final ReadinessCheck readiness;
    private final WorkerHttp http;
    private final WorkerChoice choice;
    private final SharedAnswer<ControlResponse> generated;

    HealthRoutes(ReadinessCheck readiness, WorkerHttp http, WorkerChoice choice, Ticker ticker) {
        this.readiness = readiness;
        this.http = http;
        this.choice = choice;
        generated = new SharedAnswer<>(ticker, Duration.ZERO);
    }

    Map<String, AdminRoute> routes() {
        AdminRoute alive = AdminRoute.get(
                Access.PUBLIC, request -> CompletableFuture.completedFuture(ControlResponse.text(200, "OK")));
        return Map.of(
                "/liveness",
                alive,
                "/health",
                alive,
                "/readiness",
                AdminRoute.get(Access.PUBLIC, request -> ready()),
                "/health_generate",
                AdminRoute.get(Access.PUBLIC, request -> generated.get(0, this::generate)));
    }

    private CompletionStage<ControlResponse> ready() {
        ReadinessCheck.Verdict verdict = readiness.check();
        ObjectNode body = AdminRoute.object();
        body.put("status", verdict.ready() ? "ready" : "not ready");
        if (!verdict.ready()) {
            body.put("reason", verdict.reason());
        }
        body.put("healthy_workers", verdict.availableWorkers());
        body.put("total_workers", verdict.totalWorkers());
        return AdminRoute.done(verdict.ready() ? 200 : 503, body);
    }

    private CompletableFuture<ControlResponse> generate() {
        return choice.<ControlResponse>ask(this::generateAt, (worker, reply) -> {
                    if (!reply.ok()) {
                        return null;
                    }
                    ObjectNode body = AdminRoute.object();
                    body.put("status", "ok");
                    body.put("worker_id", worker.id().toString());
                    return AdminRoute.json(200, body);
                })
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(unavailable(error)));
    }

    /** Whatever a worker answered, to a prober it means that no request would succeed. */
    private static Throwable unavailable(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        if (cause instanceof GatewayException refused) {
            String message = "health_generate: " + refused.message();
            return new GatewayException(ErrorCode.NO_AVAILABLE_WORKERS, message);
        }
        return cause;
    }

    private CompletableFuture<WorkerReply> generateAt(Worker worker) {
        WorkerMetadata metadata = worker.metadata();
        if (metadata.engine().equals("vllm")) {
            return complete(worker);
        }
        return http.send(worker, Call.get("/health_generate", GENERATE_TIMEOUT))
                .thenCompose(
                        reply -> reply.status() == 404 ? complete(worker) : CompletableFuture.completedFuture(reply));
    }

    private CompletableFuture<WorkerReply> complete(Worker worker) {
        ObjectNode body = AdminRoute.object();
        body.put("model", worker.modelIds().get(0));
        body.put("prompt", "0");
        body.put("max_tokens", 1);
        byte[] json = body.toString().getBytes(StandardCharsets.UTF_8);
        return http.send(worker, Call.post("/v1/completions", json, GENERATE_TIMEOUT));
    }
}
