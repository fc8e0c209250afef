package io.kvgate.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.core.worker.Worker;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute.Access;
import io.kvgate.server.monitor.EngineJson;
import io.kvgate.server.monitor.WorkerHttp;
import io.kvgate.server.monitor.WorkerHttp.Call;
import io.kvgate.server.monitor.WorkerReply;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What an engine says of itself: {@code /server_info}, {@code /model_info} and their older names. Asked of one available worker, with
 * secrets left out.
 */
final class InfoRoutes {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Each path with its other name, which an older or newer engine may know instead. */
    private static final Map<String, String> PATHS = Map.of(
            "/server_info", "/get_server_info",
            "/get_server_info", "/server_info",
            "/model_info", "/get_model_info",
            "/get_model_info", "/model_info");

    private final WorkerHttp http;
    private final WorkerChoice choice;

    InfoRoutes(WorkerHttp http, WorkerChoice choice) {
        this.http = http;
        this.choice = choice;
    }

    Map<String, AdminRoute> routes() {
        Map<String, AdminRoute> routes = new HashMap<>();
        PATHS.forEach((path, other) -> routes.put(path, AdminRoute.get(Access.PUBLIC, request -> ask(path, other))));
        return routes;
    }

    private CompletionStage<ControlResponse> ask(String path, String other) {
        return choice.<ControlResponse>ask(worker -> askOne(worker, path, other), (worker, reply) -> {
            JsonNode body = EngineJson.object(reply);
            return body == null
                    ? null
                    : AdminRoute.json(200, Redaction.of(worker.spec().apiKey()).redact(body));
        });
    }

    private CompletableFuture<WorkerReply> askOne(Worker worker, String path, String other) {
        return http.send(worker, Call.get(path, TIMEOUT))
                .thenCompose(reply -> reply.status() == 404
                        ? http.send(worker, Call.get(other, TIMEOUT))
                        : CompletableFuture.completedFuture(reply));
    }
}
