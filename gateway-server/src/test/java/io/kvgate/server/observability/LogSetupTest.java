package io.kvgate.server.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvgate.server.config.LogConfig;
import io.kvgate.server.config.LogConfig.Level;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class LogSetupTest {
    private static final Logger LOG = LoggerFactory.getLogger(LogSetupTest.class);

    /** Lines that {@code work} logs. */
    private static List<String> lines(LogConfig config, Runnable work) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (LogSetup setup = LogSetup.start(config, out)) {
            work.run();
            assertThat(setup.droppedLines()).isZero();
        }
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static void logAtEachLevel() {
        LOG.debug("at debug");
        LOG.info("at info");
        LOG.warn("at warn");
        LOG.error("at error");
    }

    @ParameterizedTest
    @CsvSource({"DEBUG, 4", "INFO, 3", "WARN, 2", "ERROR, 1"})
    void level_isObeyed(Level level, int expected) throws IOException {
        assertThat(lines(new LogConfig(level, null, false, true), LogSetupTest::logAtEachLevel))
                .hasSize(expected);
    }

    @ParameterizedTest
    @CsvSource({"DEBUG, 2", "INFO, 1", "WARN, 1", "ERROR, 0"})
    void level_ofNetty_isWarnUnlessDebug(Level level, int expected) throws IOException {
        Logger netty = LoggerFactory.getLogger("io.netty.something");
        assertThat(lines(new LogConfig(level, null, false, true), () -> {
                    netty.info("chatter");
                    netty.warn("leak");
                }))
                .hasSize(expected);
    }

    @Test
    void text_lineHasTimeLevelLoggerThreadMessage() throws IOException {
        assertThat(lines(LogConfig.DEFAULT, () -> LOG.info("hello {}", 7)))
                .singleElement()
                .asString()
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z INFO LogSetupTest \\[.+] hello 7");
    }

    @Test
    void text_messageWithLineBreak_staysOneLine() throws IOException {
        assertThat(lines(LogConfig.DEFAULT, () -> LOG.info("{}", "a\n2026-01-01T00:00:00.000Z INFO forged")))
                .singleElement()
                .asString()
                .endsWith("a\\n2026-01-01T00:00:00.000Z INFO forged");
    }

    @Test
    void text_stackTrace_isIndented() throws IOException {
        List<String> lines =
                lines(LogConfig.DEFAULT, () -> LOG.warn("broken", new IllegalStateException("a\n2026 INFO forged")));
        assertThat(lines).hasSizeGreaterThan(3);
        assertThat(lines.subList(1, lines.size())).allMatch(line -> line.startsWith("    "));
    }

    @Test
    void json_everyLineIsAnObject() throws IOException {
        List<String> lines = lines(new LogConfig(Level.INFO, null, true, true), () -> {
            LOG.warn("a \"quoted\"\nmessage", new IllegalStateException("x"));
            new AccessLog(new LogConfig(Level.INFO, null, true, true))
                    .log(AccessLogTest.answered(200, "completed", "/v1/models"));
        });
        assertThat(lines).hasSize(2);
        JsonNode first = new ObjectMapper().readTree(lines.get(0));
        assertThat(first.get("message").textValue()).isEqualTo("a \"quoted\"\nmessage");
        assertThat(first.get("level").textValue()).isEqualTo("WARN");
        assertThat(first.get("@timestamp").textValue()).endsWith("Z");
        JsonNode second = new ObjectMapper().readTree(lines.get(1));
        assertThat(second.get("message").textValue()).isEqualTo("request");
        assertThat(second.get("logger_name").textValue()).isEqualTo("kvgate.access");
        assertThat(second.get("path").textValue()).isEqualTo("/v1/models");
        assertThat(second.get("status").intValue()).isEqualTo(200);
    }

    @Test
    void accessLine_keepsTheThreadOfTheRequest() throws IOException {
        assertThat(lines(
                        LogConfig.DEFAULT,
                        () -> new AccessLog(LogConfig.DEFAULT)
                                .log(AccessLogTest.answered(200, "completed", "/v1/models"))))
                .singleElement()
                .asString()
                .contains(" INFO kvgate.access [" + Thread.currentThread().getName() + "] request_id=req-1 ");
    }

    @Test
    void dir_getsTheSameLinesInAFileOfTheDay(@TempDir Path dir) throws IOException {
        Path logs = dir.resolve("a/b");
        List<String> console = lines(new LogConfig(Level.INFO, logs, false, true), LogSetupTest::logAtEachLevel);
        try (Stream<Path> files = Files.list(logs)) {
            assertThat(files).singleElement().satisfies(file -> {
                assertThat(file.getFileName().toString()).matches("kvgate\\.\\d{4}-\\d\\d-\\d\\d\\.log");
                assertThat(Files.readAllLines(file)).isEqualTo(console).hasSize(3);
            });
        }
    }

    @Test
    void dir_thatIsAFile_isRefused(@TempDir Path dir) throws IOException {
        Path file = Files.createFile(dir.resolve("file"));
        assertThatThrownBy(
                        () -> LogSetup.start(new LogConfig(Level.INFO, file, false, true), new ByteArrayOutputStream()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("--log-dir: " + file);
    }

    @Test
    void beforeSetUp_nothingIsWritten() {
        ch.qos.logback.classic.LoggerContext context = new ch.qos.logback.classic.LoggerContext();
        new QuietConfigurator().configure(context);
        assertThat(context.getLogger("x").isInfoEnabled()).isFalse();
        assertThat(context.getLogger("ROOT").iteratorForAppenders().hasNext()).isFalse();
    }
}
