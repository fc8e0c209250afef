package io.kvgate.bench.engine.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.model.ModelStats;
import java.util.List;

/** The JSON pages about models, server and load. Each list of stats has one entry per data-parallel rank. */
public final class InfoPages {
    private final EngineIdentity identity;

    public InfoPages(EngineIdentity identity) {
        this.identity = identity;
    }

    /** {@code /v1/models}. */
    public JsonNode models() {
        ObjectNode body = object().put("object", "list");
        ArrayNode data = body.putArray("data");
        for (String model : identity.models()) {
            ObjectNode card = data.addObject();
            card.put("id", model);
            card.put("object", "model");
            card.put("created", identity.startedSeconds());
            card.put("owned_by", identity.flavour() == EngineFlavour.VLLM ? "vllm" : "sglang");
            card.put("root", model);
            card.putNull("parent");
            card.put("max_model_len", identity.profile().maxModelTokens());
        }
        return body;
    }

    /** SGLang's {@code /model_info} and {@code /get_model_info}. */
    public JsonNode modelInfo() {
        ObjectNode body = object();
        body.put("model_path", identity.model());
        body.put("tokenizer_path", identity.model());
        body.put("is_generation", true);
        body.put("preferred_sampling_params", (String) null);
        body.put("weight_version", "default");
        body.put("model_type", "llama");
        body.putArray("architectures").add("LlamaForCausalLM");
        return body;
    }

    /** SGLang's {@code /server_info} and {@code /get_server_info}. */
    public JsonNode serverInfo(List<ModelStats> ranks) {
        ObjectNode body = object();
        body.put("model_path", identity.model());
        body.put("served_model_name", identity.model());
        body.put("tp_size", 1);
        body.put("dp_size", identity.dpSize());
        body.put("load_balance_method", "round_robin");
        body.put("disaggregation_mode", "null");
        body.put("page_size", identity.profile().blockSizeTokens());
        body.put("max_total_num_tokens", identity.profile().poolTokens());
        body.put("max_running_requests", identity.profile().maxSequences());
        body.put("chunked_prefill_size", identity.profile().maxBatchedTokens());
        body.put("context_length", identity.profile().maxModelTokens());
        body.put("status", "ready");
        body.put("version", "simulated");
        ArrayNode states = body.putArray("internal_states");
        for (ModelStats rank : ranks) {
            states.addObject()
                    .put("last_gen_throughput", 0.0)
                    .put("max_total_num_tokens", identity.profile().poolTokens())
                    .put("num_running_reqs", rank.running());
        }
        return body;
    }

    /** SGLang's {@code /get_load}. */
    public JsonNode getLoad(List<ModelStats> ranks) {
        ArrayNode body = JsonNodeFactory.instance.arrayNode();
        for (int rank = 0; rank < ranks.size(); rank++) {
            ModelStats stats = ranks.get(rank);
            body.addObject()
                    .put("dp_rank", rank)
                    .put("num_reqs", stats.running() + stats.waiting())
                    .put("num_waiting_reqs", stats.waiting())
                    .put("num_tokens", stats.usedTokens() + stats.waitingTokens());
        }
        return body;
    }

    /** SGLang's {@code /v1/loads}; like newer servers, without a sum of tokens in {@code aggregate}. */
    public JsonNode loads(List<ModelStats> ranks) {
        ObjectNode body = object();
        body.put("dp_rank_count", ranks.size());
        ArrayNode loads = body.putArray("loads");
        int running = 0;
        int waiting = 0;
        double usage = 0;
        for (int rank = 0; rank < ranks.size(); rank++) {
            ModelStats stats = ranks.get(rank);
            running += stats.running();
            waiting += stats.waiting();
            usage += stats.usage();
            ObjectNode load = loads.addObject();
            load.put("dp_rank", rank);
            load.put("num_running_reqs", stats.running());
            load.put("num_waiting_reqs", stats.waiting());
            load.put("num_used_tokens", stats.usedTokens());
            load.put("num_total_tokens", stats.usedTokens() + stats.waitingTokens());
            load.put("max_total_num_tokens", identity.profile().poolTokens());
            load.put("token_usage", stats.usage());
            load.put("cache_hit_rate", stats.hitRatio());
            load.put("max_running_requests", identity.profile().maxSequences());
        }
        body.putObject("aggregate")
                .put("total_running_reqs", running)
                .put("total_waiting_reqs", waiting)
                .put("total_reqs", running + waiting)
                .put("avg_token_usage", usage / ranks.size());
        return body;
    }

    /** vLLM's {@code /load}: requests between their arrival and their answer's end. */
    public JsonNode serverLoad(int requests) {
        return object().put("server_load", requests);
    }

    /** vLLM's {@code /version}. */
    public JsonNode version() {
        return object().put("version", "simulated");
    }

    /** {@code /tokenize}. */
    public JsonNode tokenized(int[] tokens) {
        ObjectNode body = object();
        body.put("count", tokens.length);
        body.put("max_model_len", identity.profile().maxModelTokens());
        ArrayNode array = body.putArray("tokens");
        for (int token : tokens) {
            array.add(token);
        }
        return body;
    }

    /** {@code /detokenize}. */
    public JsonNode detokenized(String text) {
        return object().put(identity.flavour() == EngineFlavour.VLLM ? "prompt" : "text", text);
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
