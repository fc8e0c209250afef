package io.kvgate.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a body what routing needs, in one streaming pass: checks that it is one JSON object, finds {@code model} and {@code
 * stream}. No tree is built, no text is copied, the body stays as it is.
 *
 * <p>Threading: one instance per event loop, for its scratch array; {@link #parseStreaming} may be called from any thread.
 */
final class InferenceRequestParser {
    /** Bodies up to this size are copied once and parsed from an array, which is faster than from slices. */
    private static final int SCRATCH_BYTES = 262_144;

    private static final int MAX_NESTING = 1_000;
    private static final int MAX_NUMBER_LENGTH = 10_000;
    private static final int MAX_NAME_LENGTH = 100_000;
    /** Of the only string that is read; those that are skipped may be of any length. */
    private static final int MAX_MODEL_CHARS = 65_536;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING)
                    .maxStringLength(MAX_MODEL_CHARS)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(MAX_NAME_LENGTH)
                    .build())
            .configure(JsonFactory.Feature.INTERN_FIELD_NAMES, false)
            .build();

    private byte[] scratch = new byte[16_384];

    /**
     * What a body says.
     *
     * @param model null if absent, null or empty
     * @param stream false if absent or null
     */
    record Parsed(@Nullable String model, boolean stream) {}

    /**
     * Parses without moving the reader index.
     *
     * @throws GatewayException not one JSON object, or a member of a wrong type
     */
    Parsed parse(ByteBuf body) {
        int length = body.readableBytes();
        if (length > SCRATCH_BYTES) {
            return parseStreaming(body);
        }
        if (scratch.length < length) {
            scratch = new byte[Math.min(SCRATCH_BYTES, Math.max(length, scratch.length * 2))];
        }
        body.getBytes(body.readerIndex(), scratch, 0, length);
        try (JsonParser parser = JSON.createParser(scratch, 0, length)) {
            return parse(parser);
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    /** The same for bodies of any size, slower. */
    static Parsed parseStreaming(ByteBuf body) {
        try (JsonParser parser = JSON.createParser((InputStream) new ByteBufInputStream(body.duplicate()))) {
            return parse(parser);
        } catch (IOException e) {
            throw invalid(e);
        }
    }

    private static Parsed parse(JsonParser parser) throws IOException {
        JsonToken first = parser.nextToken();
        if (first != JsonToken.START_OBJECT) {
            String what = first == null ? "empty" : "not an object";
            throw new GatewayException(ErrorCode.INVALID_JSON, "body: " + what + " (expected: a JSON object)");
        }
        String model = null;
        boolean modelSeen = false;
        boolean stream = false;
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("model")) {
                if (modelSeen) {
                    throw new GatewayException(ErrorCode.INVALID_JSON, "model: given twice (expected: once)");
                }
                modelSeen = true;
                model = model(parser, value);
            } else if (name.equals("stream")) {
                // Only true asks for a stream; what else it may be is the engine's to judge.
                stream = value == JsonToken.VALUE_TRUE;
            }
            parser.skipChildren();
        }
        if (parser.nextToken() != null) {
            throw new GatewayException(
                    ErrorCode.INVALID_JSON, "body: goes on after the object" + at(parser.currentLocation()));
        }
        return new Parsed(model, stream);
    }

    private static @Nullable String model(JsonParser parser, JsonToken value) throws IOException {
        if (value == JsonToken.VALUE_NULL) {
            return null;
        }
        if (value != JsonToken.VALUE_STRING) {
            throw wrongType("model", "a string", parser);
        }
        String model = parser.getText();
        return model.isEmpty() ? null : model;
    }

    private static GatewayException wrongType(String name, String expected, JsonParser parser) {
        return new GatewayException(
                ErrorCode.INVALID_REQUEST,
                name + ": of a wrong type" + at(parser.currentLocation()) + " (expected: " + expected + ")");
    }

    private static GatewayException invalid(IOException e) {
        if (e instanceof StreamConstraintsException) {
            return new GatewayException(
                    ErrorCode.INVALID_JSON,
                    "body: beyond the gateway's limits (nesting " + MAX_NESTING + ", numbers " + MAX_NUMBER_LENGTH
                            + " digits, names " + MAX_NAME_LENGTH + " characters, model " + MAX_MODEL_CHARS
                            + " characters)");
        }
        if (e instanceof JsonProcessingException json) {
            JsonLocation location = json.getLocation();
            return new GatewayException(
                    ErrorCode.INVALID_JSON, "body: not JSON" + (location == null ? "" : at(location)));
        }
        return new GatewayException(ErrorCode.INVALID_JSON, "body: not JSON");
    }

    private static String at(JsonLocation location) {
        return " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }
}
