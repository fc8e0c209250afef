package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Embeddings, rerank, score and classify: numbers that depend on the prompt and on nothing else. */
final class PoolingFormat implements AnswerFormat {
    private static final int DIMENSIONS = 16;

    @Override
    public void token(Answer answer, Choice choice, String piece, SseText out) {
        throw new IllegalStateException("stream: asked of an API that does not generate");
    }

    @Override
    public void close(Answer answer, SseText out) {
        throw new IllegalStateException("stream: asked of an API that does not generate");
    }

    @Override
    public JsonNode document(Answer answer) {
        return switch (answer.request().api()) {
            case EMBEDDINGS -> embeddings(answer);
            case RERANK -> rerank(answer);
            case SCORE -> score(answer);
            case CLASSIFY -> classify(answer);
            default ->
                throw new IllegalStateException("api: " + answer.request().api() + " (expected: no text)");
        };
    }

    private static ObjectNode embeddings(Answer answer) {
        boolean base64 =
                answer.request().body().path("encoding_format").asText("float").equals("base64");
        int dimensions = Math.max(1, answer.request().body().path("dimensions").asInt(DIMENSIONS));
        ObjectNode body = head(answer, "list");
        ArrayNode data = body.putArray("data");
        for (Choice choice : answer.choices()) {
            ObjectNode item = data.addObject().put("index", choice.index()).put("object", "embedding");
            float[] vector = vector(choice, dimensions);
            if (base64) {
                ByteBuffer bytes = ByteBuffer.allocate(dimensions * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                bytes.asFloatBuffer().put(vector);
                item.put("embedding", Base64.getEncoder().encodeToString(bytes.array()));
            } else {
                ArrayNode numbers = item.putArray("embedding");
                for (float value : vector) {
                    numbers.add(value);
                }
            }
        }
        usage(body, answer);
        return body;
    }

    private static ObjectNode rerank(Answer answer) {
        JsonNode documents = answer.request().body().path("documents");
        List<Choice> ranked = new ArrayList<>(answer.choices());
        ranked.sort(Comparator.comparingDouble(PoolingFormat::relevance).reversed());
        int top = answer.request().body().path("top_n").asInt(ranked.size());
        ObjectNode body = head(answer, "list");
        ArrayNode results = body.putArray("results");
        for (Choice choice : ranked.subList(0, Math.max(0, Math.min(top, ranked.size())))) {
            ObjectNode item = results.addObject().put("index", choice.index());
            JsonNode document = documents.isTextual() ? documents : documents.path(choice.index());
            item.putObject("document")
                    .put("text", document.asText(document.path("text").asText("")));
            item.put("relevance_score", relevance(choice));
        }
        usage(body, answer);
        return body;
    }

    private static ObjectNode score(Answer answer) {
        ObjectNode body = head(answer, "list");
        ArrayNode data = body.putArray("data");
        for (Choice choice : answer.choices()) {
            data.addObject().put("index", choice.index()).put("object", "score").put("score", relevance(choice));
        }
        usage(body, answer);
        return body;
    }

    private static ObjectNode classify(Answer answer) {
        ObjectNode body = head(answer, "list");
        ArrayNode data = body.putArray("data");
        for (Choice choice : answer.choices()) {
            double first = relevance(choice);
            ObjectNode item = data.addObject().put("index", choice.index());
            item.put("label", first >= 0.5 ? "LABEL_0" : "LABEL_1");
            item.putArray("probs").add(first).add(1 - first);
            item.put("num_classes", 2);
        }
        usage(body, answer);
        return body;
    }

    private static ObjectNode head(Answer answer, String object) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("id", answer.request().id());
        node.put("object", object);
        node.put("created", answer.createdSeconds());
        node.put("model", answer.request().model());
        return node;
    }

    private static void usage(ObjectNode body, Answer answer) {
        Usage usage = answer.usage();
        new Usage(usage.promptTokens(), usage.cachedTokens(), 0).put(body);
    }

    private static double relevance(Choice choice) {
        return new SplittableRandom(choice.promptHash()).nextDouble();
    }

    private static float[] vector(Choice choice, int dimensions) {
        SplittableRandom random = new SplittableRandom(choice.promptHash());
        float[] vector = new float[dimensions];
        double squares = 0;
        for (int i = 0; i < dimensions; i++) {
            vector[i] = (float) (random.nextDouble() * 2 - 1);
            squares += vector[i] * vector[i];
        }
        for (int i = 0; i < dimensions; i++) {
            vector[i] = (float) (vector[i] / Math.sqrt(squares));
        }
        return vector;
    }
}
