package io.kvgate.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.http.ReceivedRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the engines tell about themselves, over a real socket. */
final class SimulatedEnginePagesTest {
    private static final SimulatedEngineConfig FAST =
            SimulatedEngineConfig.defaults().withSpeedup(100);

    private final SimulatedEngine vllm = SimulatedEngine.start(FAST);
    private final SimulatedEngine sglang =
            SimulatedEngine.start(FAST.withFlavour(EngineFlavour.SGLANG).withDpSize(2));
    private final EngineClient v = new EngineClient(vllm);
    private final EngineClient s = new EngineClient(sglang);

    @AfterEach
    void end() {
        vllm.close();
        sglang.close();
    }

    @Test
    void models_tellNameAndLength() throws Exception {
        JsonNode models = v.json("/v1/models");

        assertThat(models.at("/data/0/id").asText()).isEqualTo("llama-3-8b");
        assertThat(models.at("/data/0/max_model_len").asInt()).isEqualTo(131_072);
    }

    @Test
    void serverInfo_tellsThePoolAndRanks() throws Exception {
        for (String path : List.of("/server_info", "/get_server_info")) {
            JsonNode info = s.json(path);
            assertThat(info.path("max_total_num_tokens").asInt()).isEqualTo(428_544);
            assertThat(info.path("dp_size").asInt()).isEqualTo(2);
            assertThat(info.path("tp_size").asInt()).isEqualTo(1);
            assertThat(info.path("served_model_name").asText()).isEqualTo("llama-3-8b");
            assertThat(v.get(path).statusCode()).isEqualTo(404);
        }
        assertThat(s.json("/model_info").path("model_path").asText()).isEqualTo("llama-3-8b");
        assertThat(s.json("/get_model_info").path("is_generation").asBoolean()).isTrue();
    }

    @Test
    void loads_areZeroWhenIdle() throws Exception {
        assertThat(v.get("/load").body()).isEqualTo("{\"server_load\":0}");
        assertThat(s.json("/get_load")).hasSize(2);
        assertThat(s.json("/get_load").at("/1/num_tokens").asInt(-1)).isZero();
        assertThat(s.json("/v1/loads").at("/aggregate/total_reqs").asInt(-1)).isZero();
        assertThat(s.get("/load").statusCode()).isEqualTo(404);
    }

    @Test
    void vllmMetrics_haveItsNamesAndCounts() throws Exception {
        v.json("/v1/completions", "{\"prompt\":\"" + "z".repeat(128) + "\",\"max_tokens\":5}");
        v.json("/v1/completions", "{\"prompt\":\"" + "z".repeat(128) + "\",\"max_tokens\":5}");

        HttpResponse<String> page = v.get("/metrics");

        assertThat(page.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
        String labels = "{engine=\"0\",model_name=\"llama-3-8b\"} ";
        assertThat(page.body().lines())
                .contains(
                        "vllm:num_requests_running" + labels + "0.0",
                        "vllm:num_requests_waiting" + labels + "0.0",
                        "vllm:kv_cache_usage_perc" + labels + "0.0",
                        "vllm:gpu_cache_usage_perc" + labels + "0.0",
                        "vllm:prefix_cache_queries_total" + labels + "64.0",
                        "vllm:prefix_cache_hits_total" + labels + "16.0",
                        "vllm:prompt_tokens_total" + labels + "64.0",
                        "vllm:generation_tokens_total" + labels + "10.0",
                        "vllm:request_success_total{finished_reason=\"length\",engine=\"0\",model_name=\"llama-3-8b\"} 2.0",
                        "vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"26785\","
                                + "enable_prefix_caching=\"True\",engine=\"0\",model_name=\"llama-3-8b\"} 1.0");
    }

    @Test
    void sglangMetrics_haveItsNames() throws Exception {
        s.json("/generate", "{\"text\":\"abc\"}");

        assertThat(s.get("/metrics").body())
                .contains(
                        "sglang:num_running_reqs{dp_rank=\"1\"",
                        "sglang:num_queue_reqs{",
                        "sglang:token_usage{",
                        "sglang:cache_hit_rate{",
                        "sglang:prompt_tokens_total{",
                        "sglang:generation_tokens_total{dp_rank=\"0\",model_name=\"llama-3-8b\"} 16.0",
                        "sglang:cached_tokens_total{",
                        "sglang:num_requests_total{dp_rank=\"0\",model_name=\"llama-3-8b\"} 1.0");
    }

    @Test
    void tokenize_goesThereAndBack() throws Exception {
        JsonNode tokens = v.json("/tokenize", "{\"prompt\":\"Grüße, 日本 🙂!\"}");

        assertThat(tokens.path("count").asInt()).isEqualTo(tokens.path("tokens").size());
        assertThat(v.json("/detokenize", "{\"tokens\":" + tokens.path("tokens") + "}")
                        .path("prompt")
                        .asText())
                .isEqualTo("Grüße, 日本 🙂!");
        JsonNode chat = v.json("/tokenize", "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
        JsonNode usage = v.json(
                "/v1/chat/completions", "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
        assertThat(usage.at("/usage/prompt_tokens").asInt())
                .isEqualTo(chat.path("count").asInt());
    }

    @Test
    void flushCache_forgetsPrefixes() throws Exception {
        String body = "{\"text\":\"" + "f".repeat(400) + "\",\"data_parallel_rank\":0}";
        s.json("/generate", body);
        assertThat(s.post("/flush_cache", "").statusCode()).isEqualTo(200);

        assertThat(s.json("/generate", body).at("/meta_info/cached_tokens").asInt())
                .isZero();
        assertThat(s.json("/generate", body).at("/meta_info/cached_tokens").asInt())
                .isEqualTo(96);
        assertThat(v.post("/reset_prefix_cache", "").statusCode()).isEqualTo(200);
        assertThat(v.post("/flush_cache", "").statusCode()).isEqualTo(404);
    }

    @Test
    void health_isEmptyAndGenerateProbeComputes() throws Exception {
        assertThat(v.get("/health").statusCode()).isEqualTo(200);
        assertThat(s.get("/health_generate").statusCode()).isEqualTo(200);
        assertThat(sglang.stats().get(0).generatedTokensTotal()).isEqualTo(1);
        assertThat(v.get("/health_generate").statusCode()).isEqualTo(404);
    }

    @Test
    void apiKey_guardsWhatTheEnginesGuard() throws Exception {
        try (SimulatedEngine guarded = SimulatedEngine.start(FAST.withApiKey("secret"))) {
            EngineClient client = new EngineClient(guarded);

            assertThat(client.get("/v1/models").statusCode()).isEqualTo(401);
            assertThat(client.get("/health").statusCode()).isEqualTo(200);
            assertThat(client.send(client.request("/v1/models")
                                    .header("Authorization", "Bearer secret")
                                    .build())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(guarded.config().toString()).doesNotContain("secret");
        }
    }

    @Test
    void keptRequests_showWhatArrived() throws Exception {
        try (SimulatedEngine keeping = SimulatedEngine.start(FAST.withKeptRequests(2))) {
            EngineClient client = new EngineClient(keeping);
            client.get("/health");
            client.get("/v1/models?x=1");
            client.post("/tokenize", "{\"prompt\": \"a\"}", "X-Mine", "yes");

            assertThat(keeping.lastRequests())
                    .extracting(ReceivedRequest::target)
                    .containsExactly("/v1/models?x=1", "/tokenize");
            assertThat(keeping.lastRequests().get(1).header("x-mine")).containsExactly("yes");
            assertThat(new String(keeping.lastRequests().get(1).body(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"prompt\": \"a\"}");
            assertThat(keeping.requestsReceived("/v1/models")).isEqualTo(1);
        }
    }
}
