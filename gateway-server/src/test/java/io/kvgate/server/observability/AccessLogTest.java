package io.kvgate.server.observability;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvgate.server.config.LogConfig;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AccessLogTest {
    static AccessRecord answered(int status, String outcome, String path) {
        return new AccessRecord(
                "req-1",
                "10.0.0.9:5",
                "POST",
                path,
                status,
                outcome,
                "",
                "",
                "tiny-1",
                true,
                "w-1",
                "least_load",
                "fewest in flight",
                2,
                1_234_567_890L,
                5_006_000L,
                100,
                200,
                30,
                9,
                0);
    }

    private static AccessRecord rejected(String detail) {
        return new AccessRecord(
                "req-2",
                "10.0.0.9:5",
                "POST",
                "/v1/chat/completions",
                429,
                "rejected",
                "queue_full",
                detail,
                null,
                false,
                null,
                "",
                "",
                0,
                999L,
                -1,
                0,
                0,
                -1,
                -1,
                -1);
    }

    @Test
    void text_completedRequest_tellsEverything() {
        assertThat(new AccessLine(answered(200, "completed", "/v1/chat/completions")))
                .hasToString("request_id=req-1 remote=10.0.0.9:5 method=POST path=/v1/chat/completions status=200"
                        + " outcome=completed model=tiny-1 stream=true worker=w-1 policy=least_load"
                        + " reason=\"fewest in flight\" attempts=2 duration_ms=1234.567 first_byte_ms=5.006"
                        + " request_bytes=100 response_bytes=200 prompt_tokens=30 completion_tokens=9 cached_tokens=0");
    }

    @Test
    void text_rejectedRequest_leavesOutWhatIsNotKnown() {
        assertThat(new AccessLine(rejected("")))
                .hasToString("request_id=req-2 remote=10.0.0.9:5 method=POST path=/v1/chat/completions status=429"
                        + " outcome=rejected cause=queue_full stream=false attempts=0 duration_ms=0.000 request_bytes=0"
                        + " response_bytes=0");
    }

    @ParameterizedTest
    @CsvSource({
        "'/a\n2026 INFO forged', '\"/a\\n2026 INFO forged\"'",
        "'/a\r\tb', '\"/a\\r\\tb\"'",
        "'/a\u001b[31m', '\"/a\\u001b[31m\"'",
        "'/a\u0085b\u2028c', '\"/a\\u0085b\\u2028c\"'",
        "'/a\u202eb', '\"/a\\u202eb\"'",
        "'/a\ud800b', '\"/a\\ud800b\"'",
        "'/a status=200', '\"/a status=200\"'",
        "'/a\"b\\', '\"/a\\\"b\\\\\"'",
        "'/ä😀', '\"/ä😀\"'"
    })
    void text_hostilePath_staysOneField(String path, String expected) {
        assertThat(new AccessLine(answered(200, "completed", path)).toString())
                .contains(" path=" + expected + " status=200 ")
                .doesNotContain("\n");
    }

    @Test
    void text_longPath_isCut() {
        String line = new AccessLine(answered(200, "completed", "/" + "a".repeat(100_000))).toString();
        assertThat(line).hasSizeLessThan(1_600).contains("a…\" status=200");
    }

    @Test
    void json_isFlatWithNumbers() throws Exception {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = new JsonFactory().createGenerator(text)) {
            generator.writeStartObject();
            new AccessLine(answered(200, "completed", "/a\n\"b")).writeTo(generator);
            generator.writeEndObject();
        }
        JsonNode line = new ObjectMapper().readTree(text.toString());
        assertThat(line.get("path").textValue()).isEqualTo("/a\n\"b");
        assertThat(line.get("duration_ms").doubleValue()).isEqualTo(1_234.567);
        assertThat(line.get("status").intValue()).isEqualTo(200);
        assertThat(line.get("stream").booleanValue()).isTrue();
        assertThat(line.get("cached_tokens").longValue()).isZero();
        assertThat(line.has("cause")).isFalse();
        assertThat(line.properties()).extracting(Map.Entry::getValue).allMatch(JsonNode::isValueNode);
    }

    @ParameterizedTest
    @CsvSource({
        "200, completed, INFO",
        "404, completed, INFO",
        "500, completed, INFO",
        "429, rejected, INFO",
        "0, client_aborted, INFO",
        "502, failed, WARN",
        "503, rejected, WARN"
    })
    void log_levelFollowsWhoFailed(int status, String outcome, String level) {
        try (LogCapture capture = new LogCapture(AccessLog.LOGGER_NAME, Level.INFO)) {
            new AccessLog(LogConfig.DEFAULT).log(answered(status, outcome, "/v1/chat/completions"));
            assertThat(capture.events()).singleElement().satisfies(event -> {
                assertThat(event.getLevel()).hasToString(level);
                assertThat(event.getFormattedMessage()).startsWith("request_id=req-1 ");
            });
        }
    }

    @Test
    void log_switchedOff_writesNothing() {
        try (LogCapture capture = new LogCapture(AccessLog.LOGGER_NAME, Level.INFO)) {
            AccessLog log = new AccessLog(new LogConfig(LogConfig.Level.INFO, null, false, false));
            log.log(answered(502, "failed", "/"));
            assertThat(log.isEnabled()).isFalse();
            assertThat(capture.events()).isEmpty();
        }
    }

    @Test
    void log_detail_isQuoted() {
        assertThat(new AccessLine(rejected("all 8 permits taken\nsee flag")).toString())
                .endsWith(" detail=\"all 8 permits taken\\nsee flag\"");
    }
}
