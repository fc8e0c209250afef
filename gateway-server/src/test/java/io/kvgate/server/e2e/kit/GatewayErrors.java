package io.kvgate.server.e2e.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** Checks of what the gateway itself answers. */
public final class GatewayErrors {
    private static final ObjectMapper STRICT = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonParser.Feature.ALLOW_COMMENTS)
            .build();

    private GatewayErrors() {}

    /** Parses strictly: no duplicate members, nothing after the value. */
    public static JsonNode json(String text) throws IOException {
        return STRICT.readTree(text);
    }

    /** Checks a gateway-made error answer, and returns its {@code error} object. */
    public static JsonNode assertError(ClientResponse response, int status, String code) throws IOException {
        assertThat(response.status()).as("%s", response).isEqualTo(status);
        assertThat(response.header("content-type")).as("%s", response).startsWith("application/json");
        assertThat(response.header("x-smg-error-code")).as("%s", response).isEqualTo(code);
        assertThat(response.header("x-request-id")).as("%s", response).isNotBlank();
        assertThat(response.end()).isEqualTo(BodyEnd.COMPLETE);
        return assertErrorObject(json(response.text()), code);
    }

    /** Checks an SSE event that tells a gateway-made error. */
    public static JsonNode assertErrorEvent(String event, String code) throws IOException {
        assertThat(event).startsWith("data: ").endsWith("\n\n");
        String data = event.substring("data: ".length(), event.length() - 2);
        assertThat(data).doesNotContain("\n");
        return assertErrorObject(json(data), code);
    }

    private static JsonNode assertErrorObject(JsonNode root, String code) {
        JsonNode error = root.path("error");
        assertThat(error.path("message").asText()).as("%s", root).isNotBlank().doesNotContain("Exception:", "\tat ");
        assertThat(error.path("type").asText()).as("%s", root).isNotBlank();
        assertThat(error.path("code").asText()).as("%s", root).isEqualTo(code);
        assertThat(error.has("param")).as("%s", root).isTrue();
        return error;
    }
}
