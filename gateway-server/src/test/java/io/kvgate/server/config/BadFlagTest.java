package io.kvgate.server.config;

import static io.kvgate.server.config.CommandLines.notes;
import static io.kvgate.server.config.CommandLines.problems;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each row: a command line, and the one line it is refused with. */
final class BadFlagTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--port 70000 | --port: 70000 (expected: a whole number, 0 to 65535)",
                "--port=-1 | --port: -1 (expected: a whole number, 0 to 65535)",
                "--port x | --port: x (expected: a whole number, 0 to 65535)",
                "--port 99999999999999999999 | --port: 99999999999999999999 (expected: a whole number, 0 to 65535)",
                "--port | --port: no value (expected: a whole number, 0 to 65535)",
                "--port --json-log | --port: no value (expected: a whole number, 0 to 65535)",
                "--port 1 --port 2 | --port: given twice (expected: once)",
                "--max-payload-size 0 | --max-payload-size: 0 (expected: bytes, 1 or more)",
                "--max-header-size 10 | --max-header-size: 10 (expected: a whole number, 1024 to 16777216)",
                "--max-request-line-size 0 | --max-request-line-size: 0 (expected: a whole number, 256 to 1048576)",
                "--client-idle-timeout-secs 0 | --client-idle-timeout-secs: 0 (expected: seconds, at least 0.001, fractions"
                        + " allowed)",
                "--max-connections=-1 | --max-connections: -1 (expected: a whole number, 0 or more)",
                "--transport kqueue | --transport: kqueue (expected: auto, io_uring, epoll, nio)",
                "--event-loops 5000 | --event-loops: 5000 (expected: a whole number, 0 to 1024)",
                "--worker-startup-timeout-secs 0 | --worker-startup-timeout-secs: 0 (expected: seconds, at least 0.001,"
                        + " fractions allowed)",
                "--worker-startup-check-interval 0 | --worker-startup-check-interval: 0 (expected: seconds, at least 0.001,"
                        + " fractions allowed)",
                "--model-routing some | --model-routing: some (expected: match, any)",
                "--request-timeout-secs=-1 | --request-timeout-secs: -1 (expected: seconds, 0 or more, fractions allowed)",
                "--connect-timeout-secs 1e3 | --connect-timeout-secs: 1e3 (expected: seconds, 0 or more, fractions allowed)",
                "--connect-timeout-secs 0.0001 | --connect-timeout-secs: 0.0001 (expected: seconds, 0 or more, fractions"
                        + " allowed)",
                "--response-head-timeout-secs NaN | --response-head-timeout-secs: NaN (expected: seconds, 0 or more,"
                        + " fractions allowed)",
                "--stream-idle-timeout-secs 999999999999 | --stream-idle-timeout-secs: 999999999999 (expected: seconds, 0 or"
                        + " more, fractions allowed)",
                "--upstream-idle-timeout-secs 0 | --upstream-idle-timeout-secs: 0 (expected: seconds, at least 0.001,"
                        + " fractions allowed)",
                "--upstream-max-idle=-1 | --upstream-max-idle: -1 (expected: a whole number, 0 or more)",
                "--retry-max-retries 0 | --retry-max-retries: 0 (expected: a whole number, 1 or more)",
                "--retry-initial-backoff-ms 0 | --retry-initial-backoff-ms: 0 (expected: milliseconds, 1 to 2147483647)",
                "--retry-max-backoff-ms 10 | --retry-max-backoff-ms: 10 (expected: at least --retry-initial-backoff-ms,"
                        + " which is 50)",
                "--retry-backoff-multiplier 0.9 | --retry-backoff-multiplier: 0.9 (expected: a number, 1 or more)",
                "--retry-jitter-factor 1.1 | --retry-jitter-factor: 1.1 (expected: a number, 0 to 1)",
                "--cb-failure-threshold 0 | --cb-failure-threshold: 0 (expected: a whole number, 1 or more)",
                "--cb-success-threshold 0 | --cb-success-threshold: 0 (expected: a whole number, 1 or more)",
                "--cb-timeout-duration-secs 0 | --cb-timeout-duration-secs: 0 (expected: seconds, at least 0.001, fractions"
                        + " allowed)",
                "--cb-window-duration-secs 0 | --cb-window-duration-secs: 0 (expected: seconds, at least 0.001, fractions"
                        + " allowed)",
                "--health-failure-threshold 0 | --health-failure-threshold: 0 (expected: a whole number, 1 or more)",
                "--health-success-threshold 0 | --health-success-threshold: 0 (expected: a whole number, 1 or more)",
                "--health-check-timeout-secs 0 | --health-check-timeout-secs: 0 (expected: seconds, at least 0.001,"
                        + " fractions allowed)",
                "--health-check-interval-secs 0 | --health-check-interval-secs: 0 (expected: seconds, at least 0.001,"
                        + " fractions allowed)",
                "--health-check-endpoint health | --health-check-endpoint: health (expected: a path that begins with / and"
                        + " has neither spaces nor #)",
                "--max-concurrent-requests 1.5 | --max-concurrent-requests: 1.5 (expected: a whole number)",
                "--queue-timeout-secs 0 --max-concurrent-requests 1 | --queue-timeout-secs: 0 (expected: above 0 as"
                        + " --queue-size is 100)",
                "--rate-limit-tokens-per-second=-1 | --rate-limit-tokens-per-second: -1 (expected: a number, 0 or more)",
                "--max-buffered-body-bytes=-1 | --max-buffered-body-bytes: -1 (expected: bytes, 0 or more)",
                "--api-key= | --api-key: not shown (expected: printable ASCII characters without spaces)",
                "--control-plane-api-keys a:b:admin | --control-plane-api-keys: entry 1, not shown (expected:"
                        + " id:name:role:key with role admin or user)",
                "--control-plane-api-keys a:b:root:k | --control-plane-api-keys: entry 1, not shown (expected:"
                        + " id:name:role:key with role admin or user)",
                "--control-plane-api-keys a:b:admin:k a:c:admin:l | --control-plane-api-keys: id a twice (expected: each id"
                        + " once)",
                "--control-plane-api-keys a:b:user:k | --control-plane-api-keys: no entry with role admin (expected: at"
                        + " least one, else nobody could administer)",
                "--request-id-headers | --request-id-headers: no value (expected: at least one header name)",
                "--request-id-headers a:b | --request-id-headers: a:b (expected: a header name)",
                "--denied-request-headers Host | --denied-request-headers: host (expected: a header that a request can do"
                        + " without)",
                "--cors-allowed-origins a.example | --cors-allowed-origins: a.example (expected: scheme://host or"
                        + " scheme://host:port without a path, or *)",
                "--cors-allowed-origins http://a/ | --cors-allowed-origins: http://a/ (expected: scheme://host or"
                        + " scheme://host:port without a path, or *)",
                "--shutdown-grace-period-secs=-1 | --shutdown-grace-period-secs: -1 (expected: seconds, 0 or more, fractions"
                        + " allowed)",
                "--drain-settle-secs x | --drain-settle-secs: x (expected: seconds, 0 or more, fractions allowed)",
                "--prometheus-port 30000 | --prometheus-port: 30000 (expected: another port than --port)",
                "--prometheus-port 65536 | --prometheus-port: 65536 (expected: a whole number, 0 to 65535)",
                "--prometheus-duration-buckets 2 1 | --prometheus-duration-buckets: [2.0, 1.0] (expected: at least one"
                        + " number, each above the one before)",
                "--prometheus-duration-buckets 0 1 | --prometheus-duration-buckets: 0 (expected: numbers above 0,"
                        + " ascending)",
                "--log-level verbose | --log-level: verbose (expected: debug, info, warn, error)",
                "--polcy random | --polcy: unknown flag (expected: perhaps --policy)",
                "--worker-url http://a:1 | --worker-url: unknown flag (expected: perhaps --worker-urls)",
                "--router-policy random | --router-policy: unknown flag (expected: --policy; the gateway starts no engines,"
                        + " so its flags have no prefix)",
                "--qqqqqqqqqqqqqqqq | --qqqqqqqqqqqqqqqq: unknown flag (expected: a flag listed by --help)",
                "stray | stray: unexpected word (expected: flags only; see --help)",
                "--backend openai | --backend: openai (expected: sglang or vllm; other back ends are not offered)",
                "--pd-disaggregation | --pd-disaggregation: not available yet: prefill/decode routing",
                "--prefill http://a:1 none | --prefill: not available yet: prefill/decode routing",
                "--mini-lb | --mini-lb: not offered: it is for tests; --policy random on the gateway does the same",
            })
    void load_badFlag_isRefusedWithOneLine(String commandLine, String problem) {
        String[] arguments = commandLine.strip().split(" ");
        assertThat(problems(arguments)).containsExactly(problem.strip());
    }

    static Stream<Arguments> foreignFlags() {
        return ForeignFlag.ALL.stream().map(flag -> Arguments.of(flag.name(), flag));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("foreignFlags")
    void load_foreignFlag_isRefusedOrNoted(String name, ForeignFlag flag) {
        if (flag.fate() == ForeignFlag.Fate.NO_EFFECT) {
            assertThat(notes("--host", "::1", name)).containsExactly(flag.message());
        } else {
            assertThat(problems(name)).containsExactly(flag.message());
            assertThat(problems(name, "value", "--json-log")).containsExactly(flag.message());
        }
    }

    @Test
    void load_backendOfTheReference_isNoted() {
        for (String[] arguments : new String[][] {{"--backend", "sglang"}, {"--runtime", "vllm"}}) {
            String[] all = Stream.concat(Stream.of("--host", "::1"), Arrays.stream(arguments))
                    .toArray(String[]::new);
            assertThat(notes(all)).containsExactly("--backend: no effect, each worker is asked what it is");
        }
    }

    @Test
    void load_logDirThatIsAFile_isRefused(@TempDir Path dir) throws Exception {
        Path file = Files.createFile(dir.resolve("file"));
        assertThat(problems("--log-dir", file.toString()))
                .containsExactly("--log-dir: " + file + " (expected: a directory that can be written or made)");
        assertThat(problems("--log-dir", file.resolve("below").toString())).hasSize(1);
    }
}
