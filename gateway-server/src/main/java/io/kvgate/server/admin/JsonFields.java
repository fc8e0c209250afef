package io.kvgate.server.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a JSON object that an administrator sent. What is absent, or null, is null here; what has the wrong type or
 * range is a 400 that names the field. Values are never repeated, as a field may hold a key.
 *
 * @param object the body
 */
record JsonFields(JsonNode object) {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_TEXT = 4096;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    /** @throws GatewayException INVALID_JSON with the position, unless the body is a JSON object */
    static JsonFields parse(byte[] body) {
        JsonNode node;
        try {
            node = MAPPER.readTree(body);
        } catch (JsonProcessingException malformed) {
            JsonLocation at = malformed.getLocation();
            String where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            throw new GatewayException(ErrorCode.INVALID_JSON, "body: not valid JSON" + where);
        } catch (IOException impossible) {
            throw new AssertionError("bytes in memory", impossible);
        }
        if (node == null || !node.isObject()) {
            throw new GatewayException(ErrorCode.INVALID_JSON, "body: not a JSON object (expected: an object)");
        }
        return new JsonFields(node);
    }

    /** Names in the body that are in none of the sets, sorted. */
    @SafeVarargs
    final Set<String> namesBeside(Set<String>... known) {
        Set<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        for (Set<String> set : known) {
            names.removeAll(set);
        }
        return names;
    }

    /** Whether the field is there, null included. */
    boolean has(String name) {
        return object.has(name);
    }

    private @Nullable JsonNode value(String name) {
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    @Nullable
    String text(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isTextual() || value.textValue().length() > MAX_TEXT) {
            throw wrong(name, "a string of at most " + MAX_TEXT + " characters");
        }
        return value.textValue();
    }

    /** A header-safe key; the empty string is no key. */
    @Nullable
    String key(String name) {
        String key = text(name);
        if (key == null || key.isEmpty()) {
            return null;
        }
        if (key.chars().anyMatch(c -> c <= ' ' || c >= 127)) {
            throw wrong(name, "printable ASCII without blanks");
        }
        return key;
    }

    @Nullable
    Integer integer(String name, int min, int max) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < min || value.intValue() > max) {
            throw wrong(name, "an integer from " + min + " to " + max);
        }
        return value.intValue();
    }

    /** A finite number, zero or more. */
    @Nullable
    Double number(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isNumber() || !(value.doubleValue() >= 0) || Double.isInfinite(value.doubleValue())) {
            throw wrong(name, "a number, zero or more");
        }
        return value.doubleValue();
    }

    @Nullable
    Boolean flag(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isBoolean()) {
            throw wrong(name, "true or false");
        }
        return value.booleanValue();
    }

    /** The entries of an object of strings; a null entry keeps its place with the value null. */
    @Nullable
    Map<String, @Nullable String> texts(String name, int maxEntries) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isObject() || value.size() > maxEntries) {
            throw wrong(name, "an object of at most " + maxEntries + " strings");
        }
        JsonFields entries = new JsonFields(value);
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            JsonNode text = entry.getValue();
            if (!text.isNull() && !text.isTextual()) {
                throw wrong(name + "." + entry.getKey(), "a string");
            }
            texts.put(entry.getKey(), entries.text(entry.getKey()));
        }
        return texts;
    }

    static GatewayException wrong(String name, String expected) {
        return new GatewayException(ErrorCode.INVALID_REQUEST, name + ": not valid (expected: " + expected + ")");
    }
}
