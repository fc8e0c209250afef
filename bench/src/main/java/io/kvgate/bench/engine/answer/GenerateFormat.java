package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** SGLang's {@code /generate}: each event carries the whole text so far; a batch answers with an array. */
final class GenerateFormat implements AnswerFormat {

    @Override
    public void token(Answer answer, Choice choice, String piece, SseText out) {
        ObjectNode event = item(answer, choice);
        if (answer.choices().size() > 1) {
            event.put("index", choice.index());
        }
        out.data(event);
    }

    @Override
    public void close(Answer answer, SseText out) {
        out.done();
    }

    @Override
    public JsonNode document(Answer answer) {
        // A batch of one is a batch: only a lone text or a flat list of ids answers with an object.
        JsonNode body = answer.request().body();
        JsonNode input = body.has("input_ids") ? body.path("input_ids") : body.path("text");
        boolean batch = input.isArray() && !input.path(0).isNumber();
        if (!batch) {
            return item(answer, answer.choices().get(0));
        }
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (Choice choice : answer.choices()) {
            all.add(item(answer, choice));
        }
        return all;
    }

    private static ObjectNode item(Answer answer, Choice choice) {
        ObjectNode item = JsonNodeFactory.instance.objectNode();
        item.put("text", choice.text());
        choice.putTokens(item.putArray("output_ids"));
        ObjectNode meta = item.putObject("meta_info");
        String id = answer.request().id();
        meta.put("id", choice.index() == 0 ? id : id + "-" + choice.index());
        String reason = choice.finishReason();
        if (reason == null) {
            meta.putNull("finish_reason");
        } else {
            ObjectNode finish = meta.putObject("finish_reason");
            finish.put("type", reason);
            if (reason.equals("length")) {
                finish.put("length", choice.completionTokens());
            }
        }
        meta.put("prompt_tokens", choice.promptTokens());
        meta.put("completion_tokens", choice.completionTokens());
        meta.put("cached_tokens", choice.cachedTokens());
        meta.put("weight_version", "default");
        return item;
    }
}
