package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** {@code /v1/messages}, one text block as content. */
final class MessagesFormat implements AnswerFormat {

    @Override
    public void open(Answer answer, Choice choice, SseText out) {
        ObjectNode start = event("message_start");
        ObjectNode message = start.putObject("message");
        head(message, answer);
        message.putArray("content");
        message.putNull("stop_reason");
        message.putNull("stop_sequence");
        message.putObject("usage").put("input_tokens", choice.promptTokens()).put("output_tokens", 0);
        out.named(start);
        ObjectNode block = event("content_block_start").put("index", 0);
        block.putObject("content_block").put("type", "text").put("text", "");
        out.named(block);
    }

    @Override
    public void token(Answer answer, Choice choice, String piece, SseText out) {
        ObjectNode delta = event("content_block_delta").put("index", 0);
        delta.putObject("delta").put("type", "text_delta").put("text", piece);
        out.named(delta);
    }

    @Override
    public void close(Answer answer, SseText out) {
        out.named(event("content_block_stop").put("index", 0));
        ObjectNode delta = event("message_delta");
        delta.putObject("delta").put("stop_reason", reason(answer)).putNull("stop_sequence");
        usage(delta, answer);
        out.named(delta);
        out.named(event("message_stop"));
    }

    @Override
    public JsonNode document(Answer answer) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        head(body, answer);
        body.putArray("content")
                .addObject()
                .put("type", "text")
                .put("text", answer.choices().get(0).text());
        body.put("stop_reason", reason(answer));
        body.putNull("stop_sequence");
        usage(body, answer);
        return body;
    }

    private static ObjectNode event(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    private static void head(ObjectNode message, Answer answer) {
        message.put("id", answer.request().id());
        message.put("type", "message");
        message.put("role", "assistant");
        message.put("model", answer.request().model());
    }

    private static void usage(ObjectNode parent, Answer answer) {
        Usage usage = answer.usage();
        parent.putObject("usage")
                .put("input_tokens", usage.promptTokens())
                .put("output_tokens", usage.completionTokens())
                .put("cache_read_input_tokens", usage.cachedTokens());
    }

    private static String reason(Answer answer) {
        return "length".equals(answer.choices().get(0).finishReason()) ? "max_tokens" : "end_turn";
    }
}
