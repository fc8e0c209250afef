package io.kvgate.bench.workload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** JSON bodies of {@code /v1/chat/completions}. */
public final class ChatBody {
    /**
     * One message.
     *
     * @param role {@code system}, {@code user} or {@code assistant}
     */
    public record Message(String role, String content) {}

    private ChatBody() {}

    /**
     * A streamed request that asks for the token counts at the end.
     *
     * @param outputTokens limit of the answer; at least 1
     */
    public static byte[] streamed(String model, int outputTokens, List<Message> messages) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("model", model);
        body.put("stream", true);
        body.putObject("stream_options").put("include_usage", true);
        body.put("max_tokens", outputTokens);
        for (Message message : messages) {
            body.withArray("messages").addObject().put("role", message.role).put("content", message.content);
        }
        return body.toString().getBytes(StandardCharsets.UTF_8);
    }
}
