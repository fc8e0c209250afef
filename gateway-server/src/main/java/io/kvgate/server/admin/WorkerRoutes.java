package io.kvgate.server.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerId;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.http.ControlRequest;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute.Access;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/** The workers API: {@code /workers} and {@code /workers/{id}}. Changes are visible to the next GET; becoming ready takes probes. */
final class WorkerRoutes {
    static final String LIST_PATH = "/workers";
    static final String ITEM_PREFIX = LIST_PATH + "/";

    private static final Pattern UUID_FORM =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
    /** The value of the metric label {@code source} for what is done by hand. */
    private static final String SOURCE = "manual";

    private final WorkerRegistry registry;
    private final HealthSettings healthDefaults;
    private final WorkerView view;
    private final MetricsRegistry metrics;

    WorkerRoutes(WorkerRegistry registry, HealthSettings healthDefaults, WorkerView view, MetricsRegistry metrics) {
        this.registry = registry;
        this.healthDefaults = healthDefaults;
        this.view = view;
        this.metrics = metrics;
    }

    AdminRoute list() {
        return new AdminRoute(
                Set.of("GET", "POST"),
                Access.ADMIN,
                request -> request.method().equals("POST") ? register(request) : all());
    }

    AdminRoute item() {
        return new AdminRoute(Set.of("GET", "PUT", "DELETE"), Access.ADMIN, this::item);
    }

    private CompletionStage<ControlResponse> item(ControlRequest request) {
        Worker worker = find(request.path().substring(ITEM_PREFIX.length()));
        return switch (request.method()) {
            case "PUT" -> change(worker, request);
            case "DELETE" -> leave(worker, request);
            default -> AdminRoute.done(200, view.show(worker));
        };
    }

    private Worker find(String id) {
        if (!UUID_FORM.matcher(id).matches()) {
            throw new GatewayException(ErrorCode.INVALID_REQUEST, "worker id: not valid (expected: a UUID)");
        }
        Worker worker = registry.snapshot().byId(new WorkerId(UUID.fromString(id)));
        if (worker == null) {
            throw new GatewayException(ErrorCode.WORKER_NOT_FOUND, "worker " + id + ": not registered");
        }
        return worker;
    }

    private CompletionStage<ControlResponse> all() {
        List<Worker> workers = registry.snapshot().workers();
        ObjectNode body = AdminRoute.object();
        ArrayNode list = body.putArray("workers");
        workers.forEach(worker -> list.add(view.show(worker)));
        body.put("total", workers.size());
        body.putObject("stats")
                .put("prefill_count", count(workers, WorkerRole.PREFILL))
                .put("decode_count", count(workers, WorkerRole.DECODE))
                .put("regular_count", count(workers, WorkerRole.REGULAR));
        return AdminRoute.done(200, body);
    }

    private static long count(List<Worker> workers, WorkerRole role) {
        return workers.stream().filter(worker -> worker.spec().role() == role).count();
    }

    private CompletionStage<ControlResponse> register(ControlRequest request) {
        WorkerBody given = new WorkerBody(request.body());
        WorkerSpec spec = given.registration(healthDefaults);
        Worker worker = add(spec);
        registrations("success");
        String location = ITEM_PREFIX + worker.id();
        ObjectNode body = accepted(worker);
        body.put("url", spec.url().toString());
        body.put("location", location);
        body.put("message", "registered; its status says when it is ready");
        putWarnings(body, given);
        byte[] json = body.toString().getBytes(StandardCharsets.UTF_8);
        return CompletableFuture.completedFuture(
                new ControlResponse(202, "application/json", json, Map.of("Location", location)));
    }

    private Worker add(WorkerSpec spec) {
        try {
            return registry.add(spec);
        } catch (GatewayException refused) {
            registrations(refused.code() == ErrorCode.WORKER_EXISTS ? "duplicate" : "failed");
            Worker existing = registry.snapshot().byUrl(spec.url());
            if (refused.code() == ErrorCode.WORKER_EXISTS && existing != null) {
                String state = existing.status() == WorkerStatus.DRAINING ? " and is draining" : "";
                throw new GatewayException(
                        ErrorCode.WORKER_EXISTS, "url: registered already as worker " + existing.id() + state);
            }
            throw refused;
        }
    }

    private void registrations(String result) {
        metrics.counter(GatewayMeter.DISCOVERY_REGISTRATIONS, SOURCE, result).increment();
    }

    private CompletionStage<ControlResponse> change(Worker worker, ControlRequest request) {
        WorkerBody given = new WorkerBody(request.body());
        given.checkChange(worker.spec());
        registry.update(worker, given::changed);
        ObjectNode body = accepted(worker);
        body.put("message", "updated");
        putWarnings(body, given);
        return AdminRoute.done(202, body);
    }

    /** A worker that is draining already may be told again, also to go at once. */
    private CompletionStage<ControlResponse> leave(Worker worker, ControlRequest request) {
        boolean force = force(request.query());
        if (worker.status() != WorkerStatus.DRAINING) {
            metrics.counter(GatewayMeter.DISCOVERY_DEREGISTRATIONS, SOURCE, force ? "forced" : "drained")
                    .increment();
        }
        if (force) {
            registry.remove(worker, "removed by the workers API");
        } else {
            registry.drain(worker, "removed by the workers API");
        }
        ObjectNode body = accepted(worker);
        body.put("message", force ? "removed" : "draining: removed when its requests have ended");
        return AdminRoute.done(202, body);
    }

    private static boolean force(String query) {
        for (String parameter : query.split("&")) {
            if (parameter.equals("force=true") || parameter.equals("force=1") || parameter.equals("force")) {
                return true;
            }
            if (parameter.startsWith("force=") && !parameter.equals("force=false") && !parameter.equals("force=0")) {
                throw JsonFields.wrong("force", "true or false");
            }
        }
        return false;
    }

    private static ObjectNode accepted(Worker worker) {
        ObjectNode body = AdminRoute.object();
        body.put("status", "accepted");
        body.put("worker_id", worker.id().toString());
        return body;
    }

    private static void putWarnings(ObjectNode body, WorkerBody given) {
        List<String> warnings = given.warnings();
        if (!warnings.isEmpty()) {
            ArrayNode list = body.putArray("warnings");
            warnings.forEach(list::add);
        }
    }
}
