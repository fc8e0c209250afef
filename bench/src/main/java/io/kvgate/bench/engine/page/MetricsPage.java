package io.kvgate.bench.engine.page;

import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.model.ModelStats;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The metrics page in Prometheus' text format, with the names of vLLM or of SGLang; one sample per data-parallel rank.
 *
 * <p>Threading: one page at a time, on the engine's event loop.
 */
public final class MetricsPage {
    private final EngineIdentity identity;
    private final StringBuilder text = new StringBuilder();

    public MetricsPage(EngineIdentity identity) {
        this.identity = identity;
    }

    /** Renders the page. */
    public String render(List<ModelStats> ranks) {
        text.setLength(0);
        if (identity.flavour() == EngineFlavour.VLLM) {
            vllm(ranks);
        } else {
            sglang(ranks);
        }
        return text.toString();
    }

    private void vllm(List<ModelStats> ranks) {
        gauge("vllm:num_requests_running", "Requests in the running batch.", ranks, ModelStats::running);
        gauge("vllm:num_requests_waiting", "Requests not admitted yet.", ranks, ModelStats::waiting);
        gauge("vllm:kv_cache_usage_perc", "Share of KV blocks in use, 0 to 1.", ranks, ModelStats::usage);
        gauge("vllm:gpu_cache_usage_perc", "Older name of kv_cache_usage_perc.", ranks, ModelStats::usage);
        counter(
                "vllm:prefix_cache_queries",
                "Tokens looked up in the prefix cache.",
                ranks,
                ModelStats::cacheQueryTokensTotal);
        counter("vllm:prefix_cache_hits", "Tokens found in the prefix cache.", ranks, ModelStats::cacheHitTokensTotal);
        counter("vllm:num_preemptions", "Preemptions.", ranks, ModelStats::preemptionsTotal);
        counter("vllm:prompt_tokens", "Prompt tokens.", ranks, ModelStats::promptTokensTotal);
        counter("vllm:generation_tokens", "Output tokens.", ranks, ModelStats::generatedTokensTotal);
        header("vllm:request_success", "Requests that ended.", "counter");
        for (int rank = 0; rank < ranks.size(); rank++) {
            double finished = (double) ranks.get(rank).finishedTotal();
            double aborted = (double) ranks.get(rank).abortedTotal();
            sample("vllm:request_success_total", rank, "finished_reason=\"length\",", finished);
            sample("vllm:request_success_total", rank, "finished_reason=\"abort\",", aborted);
        }
        header("vllm:cache_config_info", "Configuration of the KV cache.", "gauge");
        for (int rank = 0; rank < ranks.size(); rank++) {
            String labels = "block_size=\"" + identity.profile().blockSizeTokens() + "\",num_gpu_blocks=\""
                    + identity.profile().totalBlocks() + "\",enable_prefix_caching=\"True\",";
            sample("vllm:cache_config_info", rank, labels, 1);
        }
    }

    private void sglang(List<ModelStats> ranks) {
        gauge("sglang:num_running_reqs", "Requests in the running batch.", ranks, ModelStats::running);
        gauge("sglang:num_queue_reqs", "Requests not admitted yet.", ranks, ModelStats::waiting);
        gauge("sglang:num_used_tokens", "Tokens in the KV cache in use.", ranks, ModelStats::usedTokens);
        gauge("sglang:token_usage", "Share of the KV cache in use, 0 to 1.", ranks, ModelStats::usage);
        gauge("sglang:cache_hit_rate", "Share of prompt tokens cached, 0 to 1.", ranks, ModelStats::hitRatio);
        counter("sglang:prompt_tokens", "Prompt tokens.", ranks, ModelStats::promptTokensTotal);
        counter("sglang:generation_tokens", "Output tokens.", ranks, ModelStats::generatedTokensTotal);
        counter("sglang:cached_tokens", "Prompt tokens that were cached.", ranks, ModelStats::cacheHitTokensTotal);
        counter("sglang:num_requests", "Requests that ended.", ranks, ModelStats::finishedTotal);
        counter("sglang:num_aborted_requests", "Requests ended early.", ranks, ModelStats::abortedTotal);
    }

    private void gauge(String name, String help, List<ModelStats> ranks, ToDoubleFunction<ModelStats> value) {
        header(name, help, "gauge");
        samples(name, ranks, value);
    }

    private void counter(String name, String help, List<ModelStats> ranks, ToDoubleFunction<ModelStats> value) {
        header(name + "_total", help, "counter");
        samples(name + "_total", ranks, value);
    }

    private void samples(String name, List<ModelStats> ranks, ToDoubleFunction<ModelStats> value) {
        for (int rank = 0; rank < ranks.size(); rank++) {
            sample(name, rank, "", value.applyAsDouble(ranks.get(rank)));
        }
    }

    private void header(String name, String help, String type) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private void sample(String name, int rank, String labels, double value) {
        String rankLabel = identity.flavour() == EngineFlavour.VLLM ? "engine" : "dp_rank";
        text.append(name).append('{').append(labels);
        text.append(rankLabel).append("=\"").append(rank).append("\",model_name=\"");
        text.append(identity.model().replace("\\", "\\\\").replace("\"", "\\\""))
                .append("\"} ");
        text.append(value).append('\n');
    }
}
