package io.kvgate.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.model.ModelStats;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The inference APIs over a real socket. */
final class SimulatedEngineTest {
    private static final SimulatedEngineConfig FAST =
            SimulatedEngineConfig.defaults().withSpeedup(100);

    private final SimulatedEngine engine = SimulatedEngine.start(FAST);
    private final SimulatedEngine sglang = SimulatedEngine.start(FAST.withFlavour(EngineFlavour.SGLANG));
    private final EngineClient client = new EngineClient(engine);

    @AfterEach
    void end() {
        for (SimulatedEngine each : List.of(engine, sglang)) {
            assertThat(each.inFlight()).isZero();
            for (ModelStats stats : each.stats()) {
                assertThat(stats.running() + stats.waiting() + stats.usedBlocks())
                        .isZero();
            }
            each.close();
        }
    }

    @Test
    void chat_answersWithUsageAndCachedTokens() throws Exception {
        String body = "{\"model\":\"llama-3-8b\",\"max_tokens\":3,\"messages\":[{\"role\":\"user\",\"content\":\""
                + "word ".repeat(40) + "\"}]}";

        JsonNode first = client.json("/v1/chat/completions", body);
        JsonNode second = client.json("/v1/chat/completions", body);

        assertThat(first.path("object").asText()).isEqualTo("chat.completion");
        assertThat(first.at("/choices/0/message/content").asText()).matches("( [a-z]{3}){3}");
        assertThat(first.at("/choices/0/finish_reason").asText()).isEqualTo("length");
        // <|user|> 8 bytes, 200 bytes of content, <|assistant|> 13 bytes.
        assertThat(first.at("/usage/prompt_tokens").asInt()).isEqualTo(2 + 50 + 4);
        assertThat(first.at("/usage/completion_tokens").asInt()).isEqualTo(3);
        assertThat(first.at("/usage/total_tokens").asInt()).isEqualTo(59);
        assertThat(first.at("/usage/prompt_tokens_details/cached_tokens").asInt())
                .isZero();
        assertThat(second.at("/usage/prompt_tokens_details/cached_tokens").asInt())
                .isEqualTo(48);
        assertThat(second.at("/choices/0/message/content")).isEqualTo(first.at("/choices/0/message/content"));
    }

    @Test
    void chatStream_hasRoleTokensUsageAndDone() throws Exception {
        HttpResponse<String> response = client.post(
                "/v1/chat/completions",
                "{\"stream\":true,\"stream_options\":{\"include_usage\":true},\"max_completion_tokens\":4,"
                        + "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}]}");

        assertThat(response.headers().firstValue("content-type")).contains("text/event-stream; charset=utf-8");
        List<String> events = EngineClient.events(response.body());
        assertThat(events).hasSize(1 + 4 + 1 + 1).last().isEqualTo("[DONE]");
        assertThat(EngineClient.parse(events.get(0)).at("/choices/0/delta/role").asText())
                .isEqualTo("assistant");
        assertThat(EngineClient.parse(events.get(1))
                        .at("/choices/0/delta/content")
                        .asText())
                .matches(" [a-z]{3}");
        assertThat(EngineClient.parse(events.get(3))
                        .at("/choices/0/finish_reason")
                        .isNull())
                .isTrue();
        assertThat(EngineClient.parse(events.get(4))
                        .at("/choices/0/finish_reason")
                        .asText())
                .isEqualTo("length");
        JsonNode usage = EngineClient.parse(events.get(5));
        assertThat(usage.path("choices").isEmpty()).isTrue();
        assertThat(usage.at("/usage/completion_tokens").asInt()).isEqualTo(4);
    }

    @Test
    void nextTurn_findsTheAnswerOfTheLastOneInTheCache() throws Exception {
        String user = "{\"role\":\"user\",\"content\":\"" + "tell me more ".repeat(10) + "\"}";
        JsonNode first = client.json("/v1/chat/completions", "{\"max_tokens\":40,\"messages\":[" + user + "]}");
        String answer = first.at("/choices/0/message/content").asText();

        JsonNode second = client.json(
                "/v1/chat/completions",
                "{\"max_tokens\":1,\"messages\":[" + user + ",{\"role\":\"assistant\",\"content\":\"" + answer + "\"},"
                        + user + "]}");

        int computed = first.at("/usage/total_tokens").asInt() - 1;
        assertThat(second.at("/usage/prompt_tokens_details/cached_tokens").asInt())
                .isEqualTo(computed / 16 * 16);
    }

    @Test
    void completions_takeTextsAndTokens() throws Exception {
        JsonNode batch = client.json("/v1/completions", "{\"prompt\":[\"one\",\"two\"],\"max_tokens\":2}");
        JsonNode tokens = client.json("/v1/completions", "{\"prompt\":[1,2,3]}");

        assertThat(batch.path("choices")).hasSize(2);
        assertThat(batch.at("/choices/1/index").asInt()).isEqualTo(1);
        assertThat(batch.at("/usage/completion_tokens").asInt()).isEqualTo(4);
        assertThat(tokens.at("/usage/prompt_tokens").asInt()).isEqualTo(3);
        assertThat(tokens.at("/usage/completion_tokens").asInt()).isEqualTo(16);
        assertThat(tokens.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    }

    @Test
    void generate_isSglangsAndCarriesMetaInfo() throws Exception {
        EngineClient sgl = new EngineClient(sglang);
        String body = "{\"text\":\"" + "x".repeat(160) + "\",\"sampling_params\":{\"max_new_tokens\":2}}";
        sgl.json("/generate", body);

        JsonNode answer = sgl.json("/generate", body);
        List<String> events =
                EngineClient.events(sgl.post("/generate", "{\"stream\":true,\"rid\":\"mine\",\"input_ids\":[5,6]}")
                        .body());
        JsonNode batch = sgl.json("/generate", "{\"text\":[\"a\"]}");

        assertThat(answer.at("/meta_info/prompt_tokens").asInt()).isEqualTo(40);
        assertThat(answer.at("/meta_info/completion_tokens").asInt()).isEqualTo(2);
        assertThat(answer.at("/meta_info/cached_tokens").asInt()).isEqualTo(32);
        assertThat(answer.at("/meta_info/finish_reason/type").asText()).isEqualTo("length");
        assertThat(answer.path("output_ids")).hasSize(2);
        assertThat(events).hasSize(17).last().isEqualTo("[DONE]");
        assertThat(EngineClient.parse(events.get(15)).at("/text").asText()).hasSize(64);
        assertThat(EngineClient.parse(events.get(15)).at("/meta_info/id").asText())
                .isEqualTo("mine");
        assertThat(batch.isArray()).isTrue();
        assertThat(client.post("/generate", body).statusCode()).isEqualTo(404);
    }

    @Test
    void responsesAndMessages_answerAndStream() throws Exception {
        JsonNode response = client.json("/v1/responses", "{\"input\":\"hello\",\"max_output_tokens\":2}");
        String responseStream = client.post("/v1/responses", "{\"input\":\"hello\",\"stream\":true}")
                .body();
        JsonNode message = client.json(
                "/v1/messages",
                "{\"max_tokens\":2,\"system\":\"be brief\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
        String messageStream = client.post(
                        "/v1/messages",
                        "{\"max_tokens\":2,\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}")
                .body();

        assertThat(response.at("/output/0/content/0/text").asText()).matches("( [a-z]{3}){2}");
        assertThat(response.at("/usage/output_tokens").asInt()).isEqualTo(2);
        assertThat(responseStream).contains("event: response.created\n").contains("event: response.completed\n");
        assertThat(responseStream.split("event: response.output_text.delta", -1))
                .hasSize(17);
        assertThat(message.at("/content/0/text").asText()).matches("( [a-z]{3}){2}");
        assertThat(message.path("stop_reason").asText()).isEqualTo("max_tokens");
        assertThat(messageStream).contains("event: message_start\n").endsWith("{\"type\":\"message_stop\"}\n\n");
    }

    @Test
    void embeddings_areUnitVectorsInBothEncodings() throws Exception {
        JsonNode floats = client.json("/v1/embeddings", "{\"input\":[\"a\",\"b\"]}");
        JsonNode base64 = client.json("/v1/embeddings", "{\"input\":\"a\",\"encoding_format\":\"base64\"}");

        double squares = 0;
        for (JsonNode value : floats.at("/data/0/embedding")) {
            squares += value.asDouble() * value.asDouble();
        }
        assertThat(squares).isCloseTo(1, within(1e-5));
        assertThat(floats.at("/data/1/embedding")).isNotEqualTo(floats.at("/data/0/embedding"));
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder()
                        .decode(base64.at("/data/0/embedding").asText()))
                .order(ByteOrder.LITTLE_ENDIAN);
        assertThat((double) bytes.getFloat())
                .isCloseTo(floats.at("/data/0/embedding/0").asDouble(), within(1e-6));
        assertThat(floats.at("/usage/completion_tokens").asInt()).isZero();
    }

    @Test
    void rerankScoreAndClassify_answerPerDocument() throws Exception {
        JsonNode rerank = client.json("/v1/rerank", "{\"query\":\"q\",\"documents\":[\"a\",\"b\",\"c\"],\"top_n\":2}");
        JsonNode score = client.json("/score", "{\"text_1\":\"q\",\"text_2\":[\"a\",\"b\"]}");
        JsonNode classify = client.json("/v1/classify", "{\"input\":[\"a\",\"b\"]}");

        assertThat(rerank.path("results")).hasSize(2);
        assertThat(rerank.at("/results/0/relevance_score").asDouble())
                .isGreaterThanOrEqualTo(rerank.at("/results/1/relevance_score").asDouble());
        assertThat(score.path("data")).hasSize(2);
        assertThat(classify.at("/data/0/probs")).hasSize(2);
    }

    @Test
    void badRequests_getTheEnginesOwnErrors() throws Exception {
        HttpResponse<String> broken = client.post("/v1/chat/completions", "{\"model\":");
        HttpResponse<String> unknown = client.post("/v1/completions", "{\"model\":\"other\",\"prompt\":\"a\"}");
        HttpResponse<String> empty = client.post("/v1/chat/completions", "{\"messages\":[]}");
        HttpResponse<String> tooLong = client.post("/v1/completions", "{\"prompt\":\"a\",\"max_tokens\":200000}");
        HttpResponse<String> sglangBroken = new EngineClient(sglang).post("/v1/chat/completions", "[]");

        assertThat(List.of(broken.statusCode(), unknown.statusCode(), empty.statusCode(), tooLong.statusCode()))
                .containsExactly(400, 404, 400, 400);
        assertThat(EngineClient.parse(broken.body()).at("/error/type").asText()).isEqualTo("BadRequestError");
        assertThat(EngineClient.parse(unknown.body()).at("/error/message").asText())
                .isEqualTo("The model `other` does not exist.");
        assertThat(EngineClient.parse(sglangBroken.body()).path("object").asText())
                .isEqualTo("error");
        assertThat(client.get("/v1/chat/completions").statusCode()).isEqualTo(405);
        assertThat(client.get("/nothing").statusCode()).isEqualTo(404);
    }

    @Test
    void dataParallelRanks_haveSeparateCaches() throws Exception {
        try (SimulatedEngine two = SimulatedEngine.start(FAST.withDpSize(2))) {
            EngineClient other = new EngineClient(two);
            String body = "{\"max_tokens\":1,\"prompt\":\"" + "y".repeat(400) + "\"}";
            other.post("/v1/completions", body, "X-data-parallel-rank", "1");
            other.post("/v1/completions", body, "X-data-parallel-rank", "1");
            other.post("/v1/completions", body, "X-data-parallel-rank", "0");

            assertThat(two.stats()).extracting(ModelStats::cacheHitTokensTotal).containsExactly(0L, 96L);
            assertThat(other.post("/v1/completions", body, "X-data-parallel-rank", "2")
                            .statusCode())
                    .isEqualTo(400);
        }
    }
}
