package io.kvgate.server.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvgate.core.resilience.CircuitBreaker;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.core.worker.WorkerMetadata;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Shows a worker as the workers API does: the reference's fields, then ours. Keys are never shown, only that one is set.
 *
 * @param ticker tells the age of a load
 */
record WorkerView(Ticker ticker) {
    ObjectNode show(Worker worker) {
        WorkerSpec spec = worker.spec();
        WorkerMetadata metadata = worker.metadata();
        WorkerStatus status = worker.status();
        ObjectNode view = AdminRoute.object();
        view.put("id", worker.id().toString());
        view.put("url", spec.url().toString());
        view.put("model_id", worker.modelIds().get(0));
        view.put("priority", spec.priority());
        view.put("cost", spec.cost());
        view.put("worker_type", spec.role().label());
        view.put("is_healthy", status == WorkerStatus.READY);
        view.put("load", worker.inFlight());
        view.put("connection_mode", "HTTP");
        if (spec.bootstrapPort() != null) {
            view.put("bootstrap_port", spec.bootstrapPort());
        }
        putLabels(view, metadata.labels(), spec.labels());
        view.put("disable_health_check", spec.health().disabled());
        putJob(view, worker, status);
        ArrayNode models = view.putArray("models");
        worker.modelIds().forEach(models::add);
        view.put("engine", metadata.engine());
        view.put("dp_size", metadata.dpSize());
        view.put("kv_pool_tokens", metadata.kvPoolTokens());
        view.put("status", status.label());
        view.put("status_reason", worker.statusReason());
        view.put("api_key_set", spec.apiKey() != null);
        view.put("in_flight", worker.inFlight());
        CircuitBreaker breaker = worker.breaker();
        view.putObject("breaker")
                .put("state", breaker.state().name().toLowerCase(Locale.ROOT))
                .put("consecutive_failures", breaker.consecutiveFailures());
        putHealth(view.putObject("health"), spec.health());
        WorkerLoad load = worker.load();
        if (load == null) {
            view.putNull("engine_load");
        } else {
            ObjectNode shown = view.putObject("engine_load");
            putLoad(shown, load);
            shown.put("age_secs", Math.max(0, ticker.nanos() - load.atNanos()) / 1e9);
        }
        return view;
    }

    /** The operator's labels lie over the engine's. Those with a secret's name are masked. */
    private static void putLabels(ObjectNode view, Map<String, String> told, Map<String, String> given) {
        Map<String, String> labels = new TreeMap<>(told);
        labels.putAll(given);
        if (!labels.isEmpty()) {
            ObjectNode shown = view.putObject("metadata");
            labels.forEach((name, value) -> shown.put(name, Redaction.isSecretName(name) ? "<redacted>" : value));
        }
    }

    /** As long as a registration isn't done, what has become of it. */
    private static void putJob(ObjectNode view, Worker worker, WorkerStatus status) {
        if (status == WorkerStatus.PENDING || status == WorkerStatus.FAILED) {
            view.putObject("job_status")
                    .put("job_type", "AddWorker")
                    .put("worker_url", worker.spec().url().toString())
                    .put("status", status.label())
                    .put("message", worker.statusReason());
        }
    }

    private static void putHealth(ObjectNode view, HealthSettings health) {
        view.put("endpoint", health.endpoint());
        view.put("check_interval_secs", health.interval().toMillis() / 1e3);
        view.put("check_timeout_secs", health.timeout().toMillis() / 1e3);
        view.put("success_threshold", health.successThreshold());
        view.put("failure_threshold", health.failureThreshold());
    }

    /** What the engine doesn't say is null. */
    static void putLoad(ObjectNode view, WorkerLoad load) {
        putCount(view, "running_requests", load.runningRequests());
        putCount(view, "waiting_requests", load.waitingRequests());
        putCount(view, "tokens", load.tokens());
        if (Double.isNaN(load.kvUsage())) {
            view.putNull("kv_usage");
        } else {
            view.put("kv_usage", load.kvUsage());
        }
    }

    private static void putCount(ObjectNode view, String field, long count) {
        if (count < 0) {
            view.putNull(field);
        } else {
            view.put(field, count);
        }
    }
}
