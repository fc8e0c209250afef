package io.kvgate.server.admin;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.http.ControlPlane;
import io.kvgate.server.http.ControlRequest;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute;
import io.kvgate.server.http.ControlRoute.Access;
import io.kvgate.server.monitor.WorkerHttp;
import io.kvgate.server.monitor.WorkerHttp.Call;
import io.kvgate.server.monitor.WorkerReply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Responses that an engine keeps: {@code /v1/responses/{id}}, its {@code /cancel} and its {@code /input_items}. Only the engine that
 * made a response knows it, and the id doesn't say which that was, so all are asked; the first 2xx is the answer, else the last.
 *
 * <p>Threading: any thread.
 */
public final class StoredResponseRoutes implements ControlPlane {
    private static final String PREFIX = "/v1/responses/";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int MAX_BYTES = 16 << 20;
    private static final String BEARER = "Bearer ";

    private final WorkerRegistry registry;
    private final WorkerHttp http;
    private final boolean passesClientKey;
    private final ControlRoute item = new AdminRoute(Set.of("GET", "DELETE"), Access.KEY, this::ask);
    private final ControlRoute cancel = AdminRoute.post(Access.KEY, this::ask);
    private final ControlRoute inputItems = AdminRoute.get(Access.KEY, this::ask);

    /** @param passesClientKey whether a worker without a key of its own gets the client's; not if that is the gateway's */
    public StoredResponseRoutes(WorkerRegistry registry, WorkerHttp http, boolean passesClientKey) {
        this.registry = registry;
        this.http = http;
        this.passesClientKey = passesClientKey;
    }

    @Override
    public @Nullable ControlRoute route(String path) {
        if (!path.startsWith(PREFIX)) {
            return null;
        }
        String[] parts = path.substring(PREFIX.length()).split("/", -1);
        if (parts[0].isEmpty() || parts.length > 2) {
            return null;
        }
        if (parts.length == 1) {
            return item;
        }
        return switch (parts[1]) {
            case "cancel" -> cancel;
            case "input_items" -> inputItems;
            default -> null;
        };
    }

    private CompletionStage<ControlResponse> ask(ControlRequest request) {
        List<Worker> workers = registry.snapshot().workers().stream()
                .filter(worker -> worker.status() == WorkerStatus.READY || worker.status() == WorkerStatus.DRAINING)
                .toList();
        if (workers.isEmpty()) {
            throw new GatewayException(ErrorCode.NO_AVAILABLE_WORKERS, "no worker is ready");
        }
        String target = request.query().isEmpty() ? request.path() : request.path() + "?" + request.query();
        Call call = new Call(
                request.method(), target, request.body().length == 0 ? null : request.body(), TIMEOUT, MAX_BYTES);
        String clientKey = clientKey(request);
        return WorkerHttp.all(workers, worker -> {
                    WorkerSpec spec = worker.spec();
                    return http.send(spec.url(), spec.apiKey() == null ? clientKey : spec.apiKey(), call);
                })
                .thenApply(StoredResponseRoutes::best);
    }

    private @Nullable String clientKey(ControlRequest request) {
        String authorization = request.headers().get("authorization");
        if (!passesClientKey || authorization == null || !authorization.startsWith(BEARER)) {
            return null;
        }
        return authorization.substring(BEARER.length());
    }

    private static ControlResponse best(List<WorkerReply> replies) {
        WorkerReply last = null;
        for (WorkerReply reply : replies) {
            if (reply.ok()) {
                return answer(reply);
            }
            last = reply.answered() ? reply : last;
        }
        if (last == null) {
            throw new GatewayException(ErrorCode.UPSTREAM_CONNECT_ERROR, "no worker answered");
        }
        return answer(last);
    }

    private static ControlResponse answer(WorkerReply reply) {
        return new ControlResponse(reply.status(), reply.contentType(), reply.body(), Map.of());
    }
}
