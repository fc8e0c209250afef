package io.kvgate.server.monitor;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads JSON that an engine wrote: bounded in depth, and whatever is not as expected reads as absent. */
public final class EngineJson {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_NUMBER_LENGTH = 100;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxNumberLength(MAX_NUMBER_LENGTH)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private EngineJson() {}

    /** The document, or null if the bytes are not one JSON value within the limits. */
    public static @Nullable JsonNode parse(byte[] json) {
        try {
            JsonNode node = MAPPER.readTree(json);
            return node == null || node.isMissingNode() ? null : node;
        } catch (JacksonException garbage) {
            return null;
        } catch (IOException impossible) {
            throw new AssertionError("bytes in memory", impossible);
        }
    }

    /** A successful reply's document if it is an object, else null. */
    public static @Nullable JsonNode object(WorkerReply reply) {
        JsonNode node = reply.ok() ? parse(reply.body()) : null;
        return node != null && node.isObject() ? node : null;
    }

    /** The field's text; null if it is absent, no text, blank, longer than {@code maxLength} or holds control characters. */
    public static @Nullable String text(@Nullable JsonNode object, String field, int maxLength) {
        JsonNode value = object == null ? null : object.get(field);
        if (value == null || !value.isTextual()) {
            return null;
        }
        String text = value.textValue();
        boolean usable =
                !text.isBlank() && text.length() <= maxLength && text.chars().noneMatch(Character::isISOControl);
        return usable ? text : null;
    }

    /** The field's whole number; −1 if it is absent, negative, no number or beyond a long. */
    public static long count(@Nullable JsonNode object, String field) {
        JsonNode value = object == null ? null : object.get(field);
        if (value == null || !value.isNumber() || !value.canConvertToLong()) {
            return -1;
        }
        return Math.max(-1, value.longValue());
    }

    /** The field's number; NaN if it is absent, negative, no number or infinite. */
    public static double number(@Nullable JsonNode object, String field) {
        JsonNode value = object == null ? null : object.get(field);
        if (value == null || !value.isNumber()) {
            return Double.NaN;
        }
        double number = value.doubleValue();
        return number >= 0 && Double.isFinite(number) ? number : Double.NaN;
    }
}
