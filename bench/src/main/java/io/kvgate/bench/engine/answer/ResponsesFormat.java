package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * {@code /v1/responses}, one text message as output, without tools and without stored state.
 *
 * <p>Threading: confined to the engine's event loop; it numbers the events.
 */
final class ResponsesFormat implements AnswerFormat {
    private int sequence;

    @Override
    public void open(Answer answer, Choice choice, SseText out) {
        for (String type : new String[] {"response.created", "response.in_progress"}) {
            ObjectNode event = event(type);
            event.set("response", response(answer, "in_progress", false));
            out.named(event);
        }
        ObjectNode added = event("response.output_item.added").put("output_index", 0);
        added.set("item", message(answer, "", "in_progress", false));
        out.named(added);
        ObjectNode part = content("response.content_part.added", answer);
        part.set("part", part(""));
        out.named(part);
    }

    @Override
    public void token(Answer answer, Choice choice, String piece, SseText out) {
        out.named(content("response.output_text.delta", answer).put("delta", piece));
    }

    @Override
    public void close(Answer answer, SseText out) {
        String text = answer.choices().get(0).text();
        out.named(content("response.output_text.done", answer).put("text", text));
        ObjectNode part = content("response.content_part.done", answer);
        part.set("part", part(text));
        out.named(part);
        ObjectNode item = event("response.output_item.done").put("output_index", 0);
        item.set("item", message(answer, text, "completed", true));
        out.named(item);
        ObjectNode completed = event("response.completed");
        completed.set("response", response(answer, "completed", true));
        out.named(completed);
    }

    @Override
    public JsonNode document(Answer answer) {
        return response(answer, "completed", true);
    }

    private ObjectNode event(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type).put("sequence_number", sequence++);
    }

    private ObjectNode content(String type, Answer answer) {
        return event(type)
                .put("item_id", messageId(answer))
                .put("output_index", 0)
                .put("content_index", 0);
    }

    private static ObjectNode response(Answer answer, String status, boolean whole) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("id", answer.request().id());
        body.put("object", "response");
        body.put("created_at", answer.createdSeconds());
        body.put("status", status);
        body.put("model", answer.request().model());
        body.putNull("error");
        body.putNull("incomplete_details");
        body.put("parallel_tool_calls", true);
        body.put("tool_choice", "auto");
        body.putArray("tools");
        if (whole) {
            body.putArray("output").add(message(answer, answer.choices().get(0).text(), status, true));
            answer.usage().putInputOutput(body);
        } else {
            body.putArray("output");
            body.putNull("usage");
        }
        return body;
    }

    private static ObjectNode message(Answer answer, String text, String status, boolean withContent) {
        ObjectNode message = JsonNodeFactory.instance.objectNode();
        message.put("id", messageId(answer));
        message.put("type", "message");
        message.put("role", "assistant");
        message.put("status", status);
        if (withContent) {
            message.putArray("content").add(part(text));
        } else {
            message.putArray("content");
        }
        return message;
    }

    private static ObjectNode part(String text) {
        ObjectNode part = JsonNodeFactory.instance.objectNode();
        part.put("type", "output_text").put("text", text);
        part.putArray("annotations");
        return part;
    }

    private static String messageId(Answer answer) {
        return "msg_" + answer.request().id();
    }
}
