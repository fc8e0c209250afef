package io.kvgate.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes secrets out of what an engine says of itself: fields with telling names, and texts that hold a key.
 *
 * @param key the worker's key, looked for in every text; null: none
 */
record Redaction(@Nullable String key) {
    private static final String MARK = "<redacted>";
    private static final int MIN_KEY_LENGTH = 4;
    private static final Pattern TELLING_NAME = Pattern.compile(
            "api_?key|passw(?:or)?d|passphrase|secret|private_?key|credential|authorization|^ssl_|_ssl_|^auth$|^tokens?$|_token$");

    /** Names that end as a secret's would, and belong to tokenizers. */
    private static final Set<String> TOKENIZER_TOKENS = Set.of(
            "bos_token",
            "eos_token",
            "pad_token",
            "unk_token",
            "sep_token",
            "cls_token",
            "mask_token",
            "image_token",
            "audio_token",
            "video_token");

    /** A key within a command line or a printed configuration. */
    private static final Pattern KEY_IN_TEXT = Pattern.compile(
            "((?:api[-_]?key|password|secret|hf[-_]token)['\"]?(?:\\s*[=:]\\s*|\\s+)['\"]?)([^\\s'\",)}]+)",
            Pattern.CASE_INSENSITIVE);

    static Redaction of(@Nullable String key) {
        return new Redaction(key);
    }

    /** The same document without secrets; objects and arrays are changed in place. */
    JsonNode redact(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().forEach(field -> field.setValue(value(field.getKey(), field.getValue())));
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, redact(array.get(i)));
            }
        } else if (node.isTextual()) {
            return TextNode.valueOf(text(node.textValue()));
        }
        return node;
    }

    private JsonNode value(String name, JsonNode value) {
        return isSecret(name, value) ? TextNode.valueOf(MARK) : redact(value);
    }

    /** Flags tell no secret, nor do counts under such a name ({@code tokens: 5}). */
    private static boolean isSecret(String name, JsonNode value) {
        boolean harmless = value.isNull() || value.isBoolean() || (value.isNumber() && name.contains("token"));
        return !harmless && isSecretName(name);
    }

    static boolean isSecretName(String name) {
        String lower = name.toLowerCase(Locale.ROOT).replace('-', '_');
        return TELLING_NAME.matcher(lower).find() && !TOKENIZER_TOKENS.contains(lower);
    }

    private String text(String text) {
        String clean = KEY_IN_TEXT.matcher(text).replaceAll("$1" + MARK);
        return key != null && key.length() >= MIN_KEY_LENGTH ? clean.replace(key, MARK) : clean;
    }
}
