package io.kvgate.server.admin;

import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerUrl;
import io.kvgate.policies.PolicyRegistry;
import io.kvgate.policies.PolicySettings;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The body of a POST or PUT to the workers API. What can't be honoured is refused; what has no effect is accepted with a warning,
 * so that clients of the reference keep working and still learn of it.
 */
final class WorkerBody {
    private static final int MAX_LABELS = 64;
    private static final int MAX_SECS = 86_400;
    private static final int MAX_THRESHOLD = 1_000;

    private static final Set<String> CHANGEABLE = Set.of(
            "priority",
            "cost",
            "labels",
            "api_key",
            "health_check_timeout_secs",
            "health_check_interval_secs",
            "health_success_threshold",
            "health_failure_threshold",
            "disable_health_check");
    private static final Set<String> FIXED =
            Set.of("url", "model_id", "worker_type", "bootstrap_port", "runtime", "connection_mode");
    private static final Set<String> RUNTIMES = Set.of("sglang", "vllm");

    private final JsonFields fields;

    /** @throws io.kvgate.core.error.GatewayException if the body is no JSON object */
    WorkerBody(byte[] body) {
        fields = JsonFields.parse(body);
    }

    /** A sentence per field that has no effect. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        for (String name : fields.namesBeside(CHANGEABLE, FIXED)) {
            warnings.add(name + ": has no effect here");
        }
        return warnings;
    }

    /** The worker to register; {@code defaults} are the health settings of workers that bring none. */
    WorkerSpec registration(HealthSettings defaults) {
        URI url = url();
        refuseUnsupported();
        Map<String, String> labels = merged(Map.of());
        String modelId = fields.text("model_id");
        if (modelId == null) {
            // The reference lets this label name the model.
            modelId = labels.get("served_model_name");
        }
        if (modelId != null && modelId.isBlank()) {
            throw JsonFields.wrong("model_id", "a name, or nothing");
        }
        WorkerSpec bare = new WorkerSpec(
                url,
                WorkerRole.REGULAR,
                modelId,
                null,
                50,
                1.0,
                Map.of(),
                fields.integer("bootstrap_port", 1, 65_535),
                defaults);
        return changed(bare);
    }

    private URI url() {
        String url = fields.text("url");
        if (url == null) {
            throw JsonFields.wrong("url", "the worker's base URL");
        }
        return WorkerUrl.parse(url);
    }

    private void refuseUnsupported() {
        String type = lower("worker_type");
        if (type != null && !type.equals("regular")) {
            boolean known = type.equals("prefill") || type.equals("decode");
            throw JsonFields.wrong(
                    "worker_type", known ? "regular; prefill and decode workers are not offered yet" : "regular");
        }
        String runtime = lower("runtime");
        if (runtime != null && !RUNTIMES.contains(runtime)) {
            throw JsonFields.wrong("runtime", "sglang or vllm, over HTTP");
        }
        String mode = lower("connection_mode");
        if (mode != null && !mode.equals("http")) {
            throw JsonFields.wrong("connection_mode", "http; gRPC workers are not offered");
        }
    }

    private @Nullable String lower(String name) {
        String text = fields.text(name);
        return text == null ? null : text.toLowerCase(Locale.ROOT);
    }

    /** @throws io.kvgate.core.error.GatewayException if the body names what can't be changed, or a value is wrong */
    void checkChange(WorkerSpec current) {
        for (String name : FIXED) {
            if (fields.has(name)) {
                throw JsonFields.wrong(name, "absent: it can't be changed; remove the worker and register it anew");
            }
        }
        String hint = changed(current).labels().get(PolicyRegistry.HINT_LABEL);
        if (!Objects.equals(hint, current.labels().get(PolicyRegistry.HINT_LABEL))) {
            throw JsonFields.wrong(
                    "labels." + PolicyRegistry.HINT_LABEL,
                    "unchanged: it counts when the worker joins; remove the worker and register it anew");
        }
    }

    /** The spec with what the body changes. */
    WorkerSpec changed(WorkerSpec spec) {
        return new WorkerSpec(
                spec.url(),
                spec.role(),
                spec.modelId(),
                fields.has("api_key") ? fields.key("api_key") : spec.apiKey(),
                or(fields.integer("priority", 0, 100), spec.priority()),
                or(fields.number("cost"), spec.cost()),
                merged(spec.labels()),
                spec.bootstrapPort(),
                health(spec.health()));
    }

    /** A label set to null goes. */
    private Map<String, String> merged(Map<String, String> before) {
        Map<String, String> labels = new HashMap<>(before);
        Map<String, @Nullable String> given = fields.texts("labels", MAX_LABELS);
        if (given != null) {
            given.forEach((name, value) -> {
                if (value == null) {
                    labels.remove(name);
                } else {
                    labels.put(name, value);
                }
            });
        }
        if (labels.size() > MAX_LABELS) {
            throw JsonFields.wrong("labels", "at most " + MAX_LABELS + " in all");
        }
        checkPolicy(labels.get(PolicyRegistry.HINT_LABEL));
        return labels;
    }

    private static void checkPolicy(@Nullable String hint) {
        if (hint == null) {
            return;
        }
        try {
            PolicySettings.DEFAULT.named(hint);
        } catch (IllegalArgumentException e) {
            throw JsonFields.wrong(
                    "labels." + PolicyRegistry.HINT_LABEL, "one of " + String.join(", ", PolicySettings.names()));
        }
    }

    private HealthSettings health(HealthSettings before) {
        return new HealthSettings(
                before.endpoint(),
                seconds("health_check_interval_secs", before.interval()),
                seconds("health_check_timeout_secs", before.timeout()),
                or(fields.integer("health_failure_threshold", 1, MAX_THRESHOLD), before.failureThreshold()),
                or(fields.integer("health_success_threshold", 1, MAX_THRESHOLD), before.successThreshold()),
                or(fields.flag("disable_health_check"), before.disabled()));
    }

    private Duration seconds(String name, Duration otherwise) {
        Integer seconds = fields.integer(name, 1, MAX_SECS);
        return seconds == null ? otherwise : Duration.ofSeconds(seconds);
    }

    private static <T> T or(@Nullable T given, T otherwise) {
        return given == null ? otherwise : given;
    }
}
