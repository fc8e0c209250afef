package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** {@code /v1/chat/completions}. */
final class ChatFormat implements AnswerFormat {

    @Override
    public void open(Answer answer, Choice choice, SseText out) {
        ObjectNode chunk = head(answer, "chat.completion.chunk");
        ObjectNode item = item(chunk.putArray("choices"), choice);
        item.putObject("delta").put("role", "assistant").put("content", "");
        item.putNull("logprobs");
        item.putNull("finish_reason");
        out.data(chunk);
    }

    @Override
    public void token(Answer answer, Choice choice, String piece, SseText out) {
        ObjectNode chunk = head(answer, "chat.completion.chunk");
        ObjectNode item = item(chunk.putArray("choices"), choice);
        item.putObject("delta").put("content", piece);
        item.putNull("logprobs");
        item.put("finish_reason", choice.finishReason());
        out.data(chunk);
    }

    @Override
    public void close(Answer answer, SseText out) {
        if (answer.request().includeUsage()) {
            ObjectNode chunk = head(answer, "chat.completion.chunk");
            chunk.putArray("choices");
            answer.usage().put(chunk);
            out.data(chunk);
        }
        out.done();
    }

    @Override
    public JsonNode document(Answer answer) {
        ObjectNode body = head(answer, "chat.completion");
        ArrayNode choices = body.putArray("choices");
        for (Choice choice : answer.choices()) {
            ObjectNode item = item(choices, choice);
            item.putObject("message").put("role", "assistant").put("content", choice.text());
            item.putNull("logprobs");
            item.put("finish_reason", choice.finishReason());
        }
        answer.usage().put(body);
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

    private static ObjectNode item(ArrayNode choices, Choice choice) {
        return choices.addObject().put("index", choice.index());
    }
}
