package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** {@code /v1/completions}. */
final class CompletionFormat implements AnswerFormat {

    @Override
    public void token(Answer answer, Choice choice, String piece, SseText out) {
        ObjectNode chunk = head(answer);
        item(chunk.putArray("choices"), choice, piece);
        out.data(chunk);
    }

    @Override
    public void close(Answer answer, SseText out) {
        if (answer.request().includeUsage()) {
            ObjectNode chunk = head(answer);
            chunk.putArray("choices");
            answer.usage().put(chunk);
            out.data(chunk);
        }
        out.done();
    }

    @Override
    public JsonNode document(Answer answer) {
        ObjectNode body = head(answer);
        ArrayNode choices = body.putArray("choices");
        for (Choice choice : answer.choices()) {
            item(choices, choice, choice.text());
        }
        answer.usage().put(body);
        return body;
    }

    private static ObjectNode head(Answer answer) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("id", answer.request().id());
        node.put("object", "text_completion");
        node.put("created", answer.createdSeconds());
        node.put("model", answer.request().model());
        return node;
    }

    private static void item(ArrayNode choices, Choice choice, String text) {
        ObjectNode item = choices.addObject();
        item.put("index", choice.index());
        item.put("text", text);
        item.putNull("logprobs");
        item.put("finish_reason", choice.finishReason());
    }
}
