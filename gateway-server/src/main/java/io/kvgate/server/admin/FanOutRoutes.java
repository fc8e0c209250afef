package io.kvgate.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.http.ControlRequest;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute.Access;
import io.kvgate.server.monitor.EngineJson;
import io.kvgate.server.monitor.LoadReader;
import io.kvgate.server.monitor.MetricsMerge;
import io.kvgate.server.monitor.WorkerHttp;
import io.kvgate.server.monitor.WorkerHttp.Call;
import io.kvgate.server.monitor.WorkerReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls that go to every worker: {@code /flush_cache}, {@code /abort_request}, {@code /get_loads}, {@code /engine_metrics}. */
final class FanOutRoutes {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long MAX_METRICS_CHARS = 64L << 20;
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final WorkerRegistry registry;
    private final WorkerHttp http;
    private final LoadReader loads;
    private final SharedAnswer<ControlResponse> scraped;

    FanOutRoutes(WorkerRegistry registry, WorkerHttp http, LoadReader loads, Ticker ticker) {
        this.registry = registry;
        this.http = http;
        this.loads = loads;
        scraped = new SharedAnswer<>(ticker, Duration.ZERO);
    }

    Map<String, AdminRoute> routes() {
        AdminRoute loadsRoute = AdminRoute.get(Access.ADMIN, request -> loads());
        return Map.of(
                "/flush_cache",
                AdminRoute.post(Access.ADMIN, request -> toAll("/flush_cache", new byte[0], 206)),
                "/abort_request",
                AdminRoute.post(Access.ADMIN, request -> toAll("/abort_request", checked(request), 207)),
                "/get_loads",
                loadsRoute,
                "/v1/loads",
                loadsRoute,
                "/engine_metrics",
                AdminRoute.get(Access.PUBLIC, request -> scraped.get(0, this::scrape)));
    }

    /** The body goes on as it came, if it is JSON; none is an empty object. */
    private static byte[] checked(ControlRequest request) {
        byte[] body = request.body();
        if (body.length == 0) {
            return "{}".getBytes(StandardCharsets.UTF_8);
        }
        JsonNode json = EngineJson.parse(body);
        if (json == null || !json.isObject()) {
            throw new GatewayException(
                    ErrorCode.INVALID_JSON, "body: not a JSON object (expected: the engine's request)");
        }
        return body;
    }

    private CompletionStage<ControlResponse> toAll(String path, byte[] body, int partialStatus) {
        List<Worker> workers = registry.snapshot().workers();
        return http.sendAll(workers, Call.post(path, body, TIMEOUT))
                .thenApply(replies -> outcome(path, workers, replies, partialStatus));
    }

    private static ControlResponse outcome(
            String path, List<Worker> workers, List<WorkerReply> replies, int partialStatus) {
        ObjectNode body = AdminRoute.object();
        ArrayNode successful = AdminRoute.object().arrayNode();
        ArrayNode failed = successful.arrayNode();
        WorkerReply lastFailure = null;
        for (int i = 0; i < workers.size(); i++) {
            WorkerReply reply = replies.get(i);
            String url = workers.get(i).spec().url().toString();
            if (reply.ok()) {
                successful.add(url);
            } else {
                lastFailure = reply;
                failed.addObject()
                        .put("worker", url)
                        .put("worker_id", workers.get(i).id().toString())
                        .put("error", reply.detail());
            }
        }
        boolean allFailed = lastFailure != null && successful.isEmpty();
        String message = path + ": " + successful.size() + " of " + workers.size() + " workers succeeded";
        body.put("status", lastFailure == null ? "success" : allFailed ? "error" : "partial_success");
        body.put("message", message);
        body.put(path.equals("/flush_cache") ? "workers_flushed" : "workers_reached", successful.size());
        body.put("total_http_workers", workers.size());
        body.put("total_workers", workers.size());
        body.set("successful", successful);
        body.set("failed", failed);
        if (lastFailure == null || !allFailed) {
            return AdminRoute.json(lastFailure == null ? 200 : partialStatus, body);
        }
        return allFailed(body, message, lastFailure.errorCode());
    }

    /** Beside the results, the error in the form of any other error of the gateway. */
    private static ControlResponse allFailed(ObjectNode body, String message, ErrorCode code) {
        ObjectNode error = body.putObject("error");
        error.put("message", message);
        error.put("type", code.type());
        error.put("code", code.code());
        error.putNull("param");
        byte[] json = body.toString().getBytes(StandardCharsets.UTF_8);
        return new ControlResponse(502, "application/json", json, Map.of("X-SMG-Error-Code", code.code()));
    }

    private List<Worker> up() {
        return registry.snapshot().workers().stream()
                .filter(worker -> worker.status() == WorkerStatus.READY || worker.status() == WorkerStatus.DRAINING)
                .toList();
    }

    private CompletionStage<ControlResponse> loads() {
        List<Worker> workers = up();
        int total = registry.snapshot().workers().size();
        return WorkerHttp.all(workers, loads::read).thenApply(readings -> {
            ObjectNode body = AdminRoute.object();
            ArrayNode list = body.putArray("workers");
            int known = 0;
            for (int i = 0; i < workers.size(); i++) {
                LoadReader.Reading reading = readings.get(i);
                known += reading.load() == null ? 0 : 1;
                add(list.addObject(), workers.get(i), reading);
            }
            body.put("total_workers", total);
            body.put("successful", known);
            body.put("failed", workers.size() - known);
            return AdminRoute.json(200, body);
        });
    }

    /** {@code load} as the reference has it: tokens, −1 if they are not known. */
    private static void add(ObjectNode entry, Worker worker, LoadReader.Reading reading) {
        entry.put("worker", worker.spec().url().toString());
        entry.put("worker_id", worker.id().toString());
        entry.put("worker_type", worker.spec().role().label());
        WorkerLoad load = reading.load();
        entry.put("load", load == null ? -1 : load.tokens());
        entry.put(
                "source",
                reading.source() == null ? "undetected" : reading.source().label());
        if (load == null) {
            entry.put("error", reading.detail());
        } else {
            WorkerView.putLoad(entry.putObject("details"), load);
        }
    }

    private CompletableFuture<ControlResponse> scrape() {
        List<Worker> workers = up();
        if (workers.isEmpty()) {
            boolean none = registry.snapshot().workers().isEmpty();
            throw new GatewayException(
                    none ? ErrorCode.NO_WORKERS : ErrorCode.NO_AVAILABLE_WORKERS,
                    none ? "no workers are registered" : "no worker is ready");
        }
        MetricsMerge merge = new MetricsMerge(MAX_METRICS_CHARS);
        return http.sendAll(workers, Call.metrics(TIMEOUT)).thenApply(replies -> {
            WorkerReply lastFailure = null;
            int merged = 0;
            for (int i = 0; i < workers.size(); i++) {
                WorkerReply reply = replies.get(i);
                if (reply.ok()) {
                    merge.add(workers.get(i).spec().url().toString(), reply.body());
                    merged++;
                } else {
                    lastFailure = reply;
                }
            }
            if (merged == 0 && lastFailure != null) {
                throw new GatewayException(
                        lastFailure.errorCode(), "engine_metrics: no worker answered: " + lastFailure.detail());
            }
            return new ControlResponse(200, METRICS_TYPE, merge.toBytes(), Map.of());
        });
    }
}
