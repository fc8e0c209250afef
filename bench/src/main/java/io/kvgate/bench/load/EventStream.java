package io.kvgate.bench.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events of a streamed chat answer as its bytes arrive: when the first token is there, what was used, whether it came to
 * its end.
 *
 * <p>Threading: one thread at a time.
 */
final class EventStream {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DATA = "data:";
    private static final int LONGEST_LINE = 1_048_576;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream(512);
    private boolean firstToken;
    private boolean complete;
    private int events;
    private @Nullable TokenCounts tokens;

    /** @return whether the first token has just come: a text that is not empty */
    boolean accept(ByteBuffer bytes) {
        boolean before = firstToken;
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            if (next == '\n') {
                endLine(line.toString(StandardCharsets.UTF_8));
                line.reset();
            } else if (line.size() < LONGEST_LINE) {
                line.write(next);
            }
        }
        return firstToken && !before;
    }

    /** Whether {@code [DONE]} has come. */
    boolean complete() {
        return complete;
    }

    /** Data events without {@code [DONE]}. */
    int events() {
        return events;
    }

    /** What the engine counted; null if it did not say. */
    @Nullable
    TokenCounts tokens() {
        return tokens;
    }

    private void endLine(String text) {
        if (!text.startsWith(DATA)) {
            return;
        }
        String data = text.substring(DATA.length()).strip();
        if (data.equals("[DONE]")) {
            complete = true;
            return;
        }
        events++;
        if (!firstToken || data.contains("\"usage\"")) {
            read(data);
        }
    }

    private void read(String data) {
        try {
            JsonNode event = JSON.readTree(data);
            firstToken |= !event.path("choices")
                    .path(0)
                    .path("delta")
                    .path("content")
                    .asText("")
                    .isEmpty();
            JsonNode usage = event.path("usage");
            if (usage.isObject()) {
                tokens = new TokenCounts(
                        usage.path("prompt_tokens").asLong(),
                        usage.path("prompt_tokens_details")
                                .path("cached_tokens")
                                .asLong(),
                        usage.path("completion_tokens").asLong());
            }
        } catch (JsonProcessingException e) {
            // An event that is not JSON is no token; the answer's status and end tell whether it was good.
        }
    }
}
