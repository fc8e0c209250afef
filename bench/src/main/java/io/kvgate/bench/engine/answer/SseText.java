package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Server-sent events as text.
 *
 * <p>Threading: confined to the engine's event loop.
 */
final class SseText {
    private final List<String> events = new ArrayList<>();

    /** An event without a name. */
    void data(JsonNode json) {
        events.add("data: " + json + "\n\n");
    }

    /** An event named by the {@code type} it carries. */
    void named(JsonNode json) {
        events.add("event: " + json.path("type").textValue() + "\ndata: " + json + "\n\n");
    }

    /** The event that ends a stream. */
    void done() {
        events.add("data: [DONE]\n\n");
    }

    /** The events since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(events);
        events.clear();
        return taken;
    }
}
