package io.kvgate.server.routing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ErrorJsonTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static JsonNode roundTrip(ErrorCode code, String message) throws Exception {
        return MAPPER.readTree(ErrorJson.encode(new GatewayException(code, message)))
                .path("error");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "\"quoted\" and \\ back",
                "line\nline\r\nline\ttab\u0000\u0001\u001f\u007f",
                "separators \u2028 \u2029 \u0085",
                "é ü 漢字 😀",
                "</script><!--",
            })
    void encode_anyMessage_roundTrips(String message) throws Exception {
        assertThat(roundTrip(ErrorCode.INTERNAL_ERROR, message).path("message").textValue())
                .isEqualTo(message);
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void encode_anyCode_hasExactlyTheFourMembers(ErrorCode code) throws Exception {
        JsonNode error = roundTrip(code, "m");
        assertThat(error.size()).isEqualTo(4);
        assertThat(error.path("type").textValue()).isEqualTo(code.type());
        assertThat(error.path("code").textValue()).isEqualTo(code.code());
        assertThat(error.path("param").isNull()).isTrue();
    }

    @Test
    void encode_halfSurrogatePair_isReplaced() throws Exception {
        // A client may send one, as "\\ud800" in its JSON; it has no UTF-8 form.
        assertThat(roundTrip(ErrorCode.MODEL_NOT_FOUND, "a\ud800b\udc00")
                        .path("message")
                        .textValue())
                .isEqualTo("a?b?");
    }

    @Test
    void encodeEvent_anyMessage_isOneEventOfOneLine() {
        String event = new String(
                ErrorJson.encodeEvent(new GatewayException(ErrorCode.UPSTREAM_RESET, "a\n\nb\r\rc\u2028")), UTF_8);
        assertThat(event).startsWith("data: {\"error\":{").endsWith("}}\n\n");
        assertThat(event.substring(0, event.length() - 2)).doesNotContain("\n", "\r");
    }
}
