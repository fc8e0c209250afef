package io.kvgate.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerSnapshot;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute.Access;
import io.kvgate.server.monitor.EngineJson;
import io.kvgate.server.monitor.WorkerHttp;
import io.kvgate.server.monitor.WorkerHttp.Call;
import io.kvgate.server.monitor.WorkerReply;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/models}: the models that ready workers serve, each once, described as its engine describes it. Only names that route are
 * listed; an engine that doesn't answer is still represented by the names it had told.
 */
final class ModelRoutes {
    static final String LIST_PATH = "/v1/models";
    static final String ITEM_PREFIX = LIST_PATH + "/";

    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration KEEP = Duration.ofSeconds(10);
    private static final String UNKNOWN = "unknown";

    private final WorkerRegistry registry;
    private final WorkerHttp http;
    private final SharedAnswer<Map<String, ObjectNode>> merged;

    ModelRoutes(WorkerRegistry registry, WorkerHttp http, Ticker ticker) {
        this.registry = registry;
        this.http = http;
        merged = new SharedAnswer<>(ticker, KEEP);
    }

    AdminRoute list() {
        return AdminRoute.get(
                Access.PUBLIC,
                request -> models().thenApply(models -> {
                    ObjectNode body = AdminRoute.object();
                    body.put("object", "list");
                    ArrayNode data = body.putArray("data");
                    models.values().forEach(data::add);
                    return AdminRoute.json(200, body);
                }));
    }

    /** Ids may hold slashes, plain or escaped. */
    AdminRoute item() {
        return AdminRoute.get(Access.PUBLIC, request -> one(request.path().substring(ITEM_PREFIX.length())));
    }

    private CompletionStage<ControlResponse> one(String escapedId) {
        String id = unescape(escapedId);
        return models().thenApply(models -> {
            ObjectNode card = models.get(id);
            if (card == null) {
                throw new GatewayException(
                        ErrorCode.MODEL_NOT_FOUND, "model: " + id + " (expected: one of " + models.keySet() + ")");
            }
            return AdminRoute.json(200, card);
        });
    }

    private static String unescape(String escaped) {
        try {
            return URLDecoder.decode(escaped.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new GatewayException(
                    ErrorCode.INVALID_REQUEST, "model: malformed percent escape (expected: a URL-encoded id)");
        }
    }

    /** Cards by id, in the order of workers; must not be changed. */
    private CompletableFuture<Map<String, ObjectNode>> models() {
        WorkerSnapshot snapshot = registry.snapshot();
        List<Worker> ready = snapshot.workers().stream()
                .filter(worker -> worker.status() == WorkerStatus.READY)
                .toList();
        if (ready.isEmpty()) {
            boolean none = snapshot.workers().isEmpty();
            throw new GatewayException(
                    none ? ErrorCode.NO_WORKERS : ErrorCode.NO_AVAILABLE_WORKERS,
                    none ? "no workers are registered" : "no worker is ready");
        }
        return merged.get(
                snapshot.version(),
                () -> http.sendAll(ready, Call.get(LIST_PATH, TIMEOUT)).thenApply(replies -> merge(ready, replies)));
    }

    private static Map<String, ObjectNode> merge(List<Worker> workers, List<WorkerReply> replies) {
        Map<String, ObjectNode> merged = new LinkedHashMap<>();
        for (int i = 0; i < workers.size(); i++) {
            Map<String, ObjectNode> told = cards(replies.get(i));
            for (String id : workers.get(i).modelIds()) {
                if (!id.equals(UNKNOWN)) {
                    merged.computeIfAbsent(id, key -> card(key, told));
                }
            }
        }
        return merged;
    }

    private static Map<String, ObjectNode> cards(WorkerReply reply) {
        Map<String, ObjectNode> cards = new LinkedHashMap<>();
        JsonNode list = EngineJson.object(reply);
        JsonNode data = list == null ? null : list.get("data");
        if (data != null && data.isArray()) {
            for (JsonNode card : data) {
                String id = EngineJson.text(card, "id", 256);
                if (id != null && card instanceof ObjectNode object) {
                    cards.putIfAbsent(id, object);
                }
            }
        }
        return cards;
    }

    /** The engine's card of this id; for a name the operator gave, the engine's main card under that name; else a bare one. */
    private static ObjectNode card(String id, Map<String, ObjectNode> told) {
        ObjectNode own = told.get(id);
        if (own != null) {
            return own;
        }
        ObjectNode main = first(told);
        ObjectNode card = main == null ? AdminRoute.object() : main.deepCopy();
        card.put("id", id);
        if (main == null) {
            card.put("object", "model");
            card.put("owned_by", "kvgate");
        }
        return card;
    }

    private static @Nullable ObjectNode first(Map<String, ObjectNode> cards) {
        return cards.isEmpty() ? null : cards.values().iterator().next();
    }
}
