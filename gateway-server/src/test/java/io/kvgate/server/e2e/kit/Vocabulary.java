package io.kvgate.server.e2e.kit;

import java.util.List;

/** The words that the field reports use: the two requests and the three-event stream. */
public final class Vocabulary {
    public static final String CHAT = "/v1/chat/completions";
    /** A chat request without a stream. */
    public static final String REQ_N =
            "{\"model\":\"tiny-1\",\"messages\":[{\"role\":\"user\",\"content\":\"count to three\"}]}";
    /** The same with a stream. */
    public static final String REQ_S =
            "{\"model\":\"tiny-1\",\"messages\":[{\"role\":\"user\",\"content\":\"count to three\"}],\"stream\":true}";

    public static final String DONE = "data: [DONE]\n\n";
    /** Events of the three-event stream, its terminator included. */
    public static final List<String> SSE_3 = List.of(delta("one"), delta(" two"), delta(" three"), DONE);
    /** A whole answer to {@link #REQ_N}. */
    public static final String COMPLETION =
            "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"tiny-1\",\"choices\":[{\"index\":0,"
                    + "\"message\":{\"role\":\"assistant\",\"content\":\"one two three\"},\"finish_reason\":\"stop\"}],"
                    + "\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":3,\"total_tokens\":14}}";

    private Vocabulary() {}

    /** One delta event, LF line ends. */
    public static String delta(String content) {
        return "data: " + deltaJson(content) + "\n\n";
    }

    public static String deltaJson(String content) {
        return "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"tiny-1\",\"choices\":"
                + "[{\"index\":0,\"delta\":{\"content\":\"" + content + "\"},\"finish_reason\":null}]}";
    }

    /** The JSON of a last event that tells the usage. */
    public static String usageJson(int prompt, int completion) {
        return "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"tiny-1\",\"choices\":[],"
                + "\"usage\":{\"prompt_tokens\":" + prompt + ",\"completion_tokens\":" + completion
                + ",\"total_tokens\":" + (prompt + completion) + "}}";
    }

    /** {@link #REQ_N} with a user content of about this many bytes. */
    public static String requestOfBytes(int bytes) {
        return "{\"model\":\"tiny-1\",\"messages\":[{\"role\":\"user\",\"content\":\"" + "x".repeat(bytes) + "\"}]}";
    }
}
