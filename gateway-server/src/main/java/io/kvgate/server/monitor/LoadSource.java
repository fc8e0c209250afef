package io.kvgate.server.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.server.monitor.WorkerHttp.Call;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ways engines tell their load. Which one an engine offers is found out once. */
public enum LoadSource {
    /** SGLang, newer: an object with a list per data-parallel rank, an aggregate, or both. */
    V1_LOADS("v1_loads", "/v1/loads"),
    /** SGLang, older: a list per data-parallel rank. */
    GET_LOAD("get_load", "/get_load"),
    /** Gauges of vLLM or SGLang. */
    METRICS("metrics", "/metrics"),
    /** vLLM: requests in the server, and no more. */
    LOAD("load", "/load"),
    /** The engine offers none of them. */
    NONE("none", "");

    private static final List<LoadSource> SGLANG = List.of(V1_LOADS, GET_LOAD, METRICS);
    // Metrics first: vLLM's /load says 0 for ever unless load tracking is switched on.
    private static final List<LoadSource> VLLM = List.of(METRICS, LOAD);
    private static final List<LoadSource> ANY = List.of(V1_LOADS, GET_LOAD, METRICS, LOAD);

    private final String label;
    private final String path;

    LoadSource(String label, String path) {
        this.label = label;
        this.path = path;
    }

    /** The value of the metric label {@code source}. */
    public String label() {
        return label;
    }

    String path() {
        return path;
    }

    /** Which to try for an engine, in order. */
    static List<LoadSource> candidates(String engine) {
        return switch (engine) {
            case "sglang" -> SGLANG;
            case "vllm" -> VLLM;
            default -> ANY;
        };
    }

    Call call(Duration timeout) {
        return this == METRICS ? Call.metrics(timeout) : Call.get(path, timeout);
    }

    /** The load a successful answer tells; null if it tells none. */
    @Nullable
    WorkerLoad parse(byte[] body, long atNanos) {
        if (this == METRICS) {
            return metrics(body, atNanos);
        }
        JsonNode node = EngineJson.parse(body);
        if (node == null) {
            return null;
        }
        return switch (this) {
            case V1_LOADS -> loads(node, atNanos);
            case GET_LOAD -> node.isArray() ? ranks(node, atNanos) : ranks(List.of(node), atNanos);
            case LOAD -> server(node, atNanos);
            case METRICS, NONE -> null;
        };
    }

    private static @Nullable WorkerLoad loads(JsonNode node, long atNanos) {
        if (node.isArray()) {
            return ranks(node, atNanos);
        }
        JsonNode ranks = node.get("loads");
        WorkerLoad summed = ranks != null && ranks.isArray() ? ranks(ranks, atNanos) : null;
        if (summed != null) {
            return summed;
        }
        JsonNode all = node.get("aggregate");
        long running = EngineJson.count(all, "total_running_reqs");
        long waiting = EngineJson.count(all, "total_waiting_reqs");
        long tokens = EngineJson.count(all, "total_tokens");
        return known(running, waiting, tokens, share(EngineJson.number(all, "avg_token_usage")), atNanos);
    }

    private static @Nullable WorkerLoad ranks(Iterable<JsonNode> ranks, long atNanos) {
        Sum running = new Sum();
        Sum waiting = new Sum();
        Sum tokens = new Sum();
        double usage = 0;
        int usages = 0;
        for (JsonNode rank : ranks) {
            long waits = EngineJson.count(rank, "num_waiting_reqs");
            long runs = EngineJson.count(rank, "num_running_reqs");
            long all = EngineJson.count(rank, "num_reqs");
            running.add(runs >= 0 || all < 0 ? runs : Math.max(0, all - Math.max(0, waits)));
            waiting.add(waits);
            tokens.add(firstKnown(rank, "num_tokens", "num_total_tokens", "num_used_tokens"));
            double share = share(EngineJson.number(rank, "token_usage"));
            if (!Double.isNaN(share)) {
                usage += share;
                usages++;
            }
        }
        return known(
                running.value(), waiting.value(), tokens.value(), usages == 0 ? Double.NaN : usage / usages, atNanos);
    }

    private static long firstKnown(JsonNode object, String... fields) {
        for (String field : fields) {
            long value = EngineJson.count(object, field);
            if (value >= 0) {
                return value;
            }
        }
        return -1;
    }

    private static @Nullable WorkerLoad server(JsonNode node, long atNanos) {
        return known(EngineJson.count(node, "server_load"), -1, -1, Double.NaN, atNanos);
    }

    private static @Nullable WorkerLoad metrics(byte[] body, long atNanos) {
        Sum running = new Sum();
        Sum waiting = new Sum();
        Sum tokens = new Sum();
        double[] usage = new double[2];
        MetricsText.parse(body, sample -> {
            switch (sample.name()) {
                case "vllm:num_requests_running", "sglang:num_running_reqs" -> running.add(sample.value());
                case "vllm:num_requests_waiting", "sglang:num_queue_reqs" -> waiting.add(sample.value());
                case "sglang:num_used_tokens" -> tokens.add(sample.value());
                case "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage" -> {
                    if (!Double.isNaN(share(sample.value()))) {
                        usage[0] += sample.value();
                        usage[1]++;
                    }
                }
                default -> {}
            }
        });
        double share = usage[1] == 0 ? Double.NaN : usage[0] / usage[1];
        return known(running.value(), waiting.value(), tokens.value(), share, atNanos);
    }

    private static double share(double value) {
        return value >= 0 && value <= 1 ? value : Double.NaN;
    }

    /** Usage alone is no load: without any count there is nothing to compare. */
    private static @Nullable WorkerLoad known(long running, long waiting, long tokens, double usage, long atNanos) {
        if (running < 0 && waiting < 0 && tokens < 0) {
            return null;
        }
        return new WorkerLoad(running, waiting, tokens, usage, atNanos);
    }

    /** Adds up counts; one that is unknown or absurd makes no sum, but does not spoil it either. */
    private static final class Sum {
        private static final long MAX = 1L << 50;
        private long sum = -1;

        void add(long value) {
            if (value >= 0 && value <= MAX) {
                sum = Math.min(MAX, Math.max(0, sum) + value);
            }
        }

        void add(double value) {
            if (value >= 0 && value <= MAX) {
                add((long) value);
            }
        }

        long value() {
            return sum;
        }
    }
}
