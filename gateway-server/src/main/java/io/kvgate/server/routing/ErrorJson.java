package io.kvgate.server.routing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.kvgate.core.error.GatewayException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The one JSON form of errors that the gateway makes: {@code {"error":{"message","type","code","param"}}}. */
public final class ErrorJson {
    private static final JsonFactory JSON = new JsonFactory();

    private ErrorJson() {}

    public static byte[] encode(GatewayException error) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeObjectFieldStart("error");
            json.writeStringField("message", encodable(error.message()));
            json.writeStringField("type", error.code().type());
            json.writeStringField("code", error.code().code());
            json.writeNullField("param");
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Half surrogate pairs, which a client's JSON may hold, have no UTF-8 form: each becomes a question mark. */
    private static String encodable(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** The same as one server-sent event, blank line included. */
    public static byte[] encodeEvent(GatewayException error) {
        return ("data: " + new String(encode(error), StandardCharsets.UTF_8) + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
}
