package io.kvgate.server.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.core.worker.WorkerMetadata;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads worker metadata out of what an engine answered. Pure; absent and absurd values read as unknown.
 *
 * @param serverInfo answer of {@code /server_info}; null if there is none
 * @param modelInfo answer of {@code /model_info}; null if there is none
 * @param models answer of {@code /v1/models}; null if there is none
 */
record EngineFacts(
        @Nullable JsonNode serverInfo,
        @Nullable JsonNode modelInfo,
        @Nullable JsonNode models) {
    private static final int MAX_TEXT = 256;
    private static final int MAX_MODELS = 64;
    private static final long MAX_DP = 1024;
    private static final long MAX_POOL_TOKENS = 1L << 40;
    private static final List<String> SERVER_LABELS = List.of(
            "model_path", "served_model_name", "tp_size", "dp_size", "load_balance_method", "disaggregation_mode");
    private static final List<String> MODEL_LABELS = List.of("model_path", "model_type");

    /** Whether anything was answered that can be used. */
    boolean any() {
        return serverInfo != null || modelInfo != null || models != null;
    }

    /** What is known, with the size of the KV pool as vLLM's metrics tell it; 0 if they don't. */
    WorkerMetadata metadata(long poolTokensByMetrics) {
        String engine = engine();
        long dp = EngineJson.count(serverInfo, "dp_size");
        int dpSize = dp >= 1 && dp <= MAX_DP ? (int) dp : 1;
        long perRank = EngineJson.count(serverInfo, "max_total_num_tokens");
        long pool = perRank > 0 && perRank <= MAX_POOL_TOKENS ? perRank * dpSize : poolTokensByMetrics;
        return new WorkerMetadata(List.copyOf(modelIds()), engine, dpSize, pool, labels());
    }

    String engine() {
        if (has(serverInfo, "max_total_num_tokens", "mem_fraction_static", "internal_states")) {
            return "sglang";
        }
        if (has(serverInfo, "vllm_config")) {
            return "vllm";
        }
        for (JsonNode card : cards(models)) {
            String owner = EngineJson.text(card, "owned_by", MAX_TEXT);
            if (owner != null && (owner.equals("vllm") || owner.equals("sglang"))) {
                return owner;
            }
        }
        return has(modelInfo, "is_generation") ? "sglang" : "unknown";
    }

    private static boolean has(@Nullable JsonNode object, String... fields) {
        for (String field : fields) {
            if (object != null && object.has(field)) {
                return true;
            }
        }
        return false;
    }

    /** The cards of a model list; empty if it is none. */
    static Iterable<JsonNode> cards(@Nullable JsonNode models) {
        JsonNode data = models == null ? null : models.get("data");
        return data != null && data.isArray() ? data : List.of();
    }

    /** The served name, then the names of the model list; the model's path only if there is no name at all. */
    private Set<String> modelIds() {
        Set<String> ids = new LinkedHashSet<>();
        addIfKnown(ids, EngineJson.text(serverInfo, "served_model_name", MAX_TEXT));
        for (JsonNode card : cards(models)) {
            if (ids.size() < MAX_MODELS) {
                addIfKnown(ids, EngineJson.text(card, "id", MAX_TEXT));
            }
        }
        if (ids.isEmpty()) {
            addIfKnown(ids, EngineJson.text(serverInfo, "model_path", MAX_TEXT));
        }
        if (ids.isEmpty()) {
            addIfKnown(ids, EngineJson.text(modelInfo, "model_path", MAX_TEXT));
        }
        return ids;
    }

    private static void addIfKnown(Set<String> ids, @Nullable String id) {
        if (id != null) {
            ids.add(id);
        }
    }

    private Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        MODEL_LABELS.forEach(field -> putScalar(labels, field, modelInfo));
        SERVER_LABELS.forEach(field -> putScalar(labels, field, serverInfo));
        JsonNode architectures = modelInfo == null ? null : modelInfo.get("architectures");
        if (architectures != null
                && architectures.isArray()
                && architectures.toString().length() <= MAX_TEXT) {
            labels.put("architectures", architectures.toString());
        }
        for (JsonNode card : cards(models)) {
            putScalar(labels, "max_model_len", card);
            break;
        }
        return labels;
    }

    private static void putScalar(Map<String, String> labels, String field, @Nullable JsonNode object) {
        String text = EngineJson.text(object, field, MAX_TEXT);
        long number = EngineJson.count(object, field);
        if (text != null) {
            labels.put(field, text);
        } else if (number >= 0) {
            labels.put(field, Long.toString(number));
        }
    }

    /** Tokens of all KV pools that vLLM's metrics name: blocks times block size, summed over its engines; 0 if none is named. */
    static long poolTokens(byte[] metrics) {
        long[] sum = new long[1];
        MetricsText.parse(metrics, sample -> {
            if (sample.name().equals("vllm:cache_config_info")) {
                long blocks = positive(sample.label("num_gpu_blocks"));
                long blockSize = positive(sample.label("block_size"));
                sum[0] += blocks * blockSize;
            }
        });
        return sum[0] <= MAX_POOL_TOKENS ? sum[0] : 0;
    }

    private static long positive(@Nullable String digits) {
        boolean usable = digits != null
                && !digits.isEmpty()
                && digits.length() <= 9
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return usable ? Long.parseLong(digits) : 0;
    }
}
