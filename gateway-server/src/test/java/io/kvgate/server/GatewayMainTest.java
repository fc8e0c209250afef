package io.kvgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.server.config.GatewayConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class GatewayMainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<GatewayConfig> started = new ArrayList<>();
    private final FakeGateway gateway = new FakeGateway();

    /** Ends as soon as it is waited for. */
    private static final class FakeGateway implements GatewayMain.RunningGateway {
        int closes;

        @Override
        public int port() {
            return 1_234;
        }

        @Override
        public int metricsPort() {
            return 5_678;
        }

        @Override
        public void awaitShutdown() {}

        @Override
        public void close() {
            closes++;
        }
    }

    private int run(GatewayMain.Starter starter, String... arguments) {
        return new GatewayMain(
                        Set.of("cache_aware", "random"),
                        starter,
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .run(List.of(arguments));
    }

    private int run(String... arguments) {
        return run(
                config -> {
                    started.add(config);
                    return gateway;
                },
                arguments);
    }

    private List<String> errLines() {
        return err.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private String outText() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void run_help_is0AndOnStandardOutput() {
        assertThat(run("--help")).isZero();
        assertThat(outText()).startsWith("Usage: kvgate [launch] [flags]\n").contains("--worker-urls URL...");
        assertThat(errLines()).isEmpty();
        assertThat(started).isEmpty();
    }

    @Test
    void run_version_is0() {
        assertThat(run("--version")).isZero();
        assertThat(outText()).matches("kvgate \\S+ \\(Java \\S+, .+\\)\\n");
    }

    @Test
    void run_badFlags_is2WithEachProblemOnALine() {
        assertThat(run("--port", "70000", "--policy", "nosuch", "--worker-url", "http://a:1"))
                .isEqualTo(2);
        assertThat(errLines())
                .containsExactlyInAnyOrder(
                        "kvgate: --port: 70000 (expected: a whole number, 0 to 65535)",
                        "kvgate: --policy: nosuch (expected: cache_aware, random)",
                        "kvgate: --worker-url: unknown flag (expected: perhaps --worker-urls)",
                        "kvgate: not started; see --help");
        assertThat(outText()).isEmpty();
        assertThat(started).isEmpty();
    }

    @Test
    void run_start_printsOneLineOfAddresses_andClosesAtTheEnd() {
        assertThat(run("launch", "--host", "::1", "--prometheus-host", "127.0.0.1"))
                .isZero();
        assertThat(outText().lines().filter(line -> line.startsWith("kvgate ")))
                .singleElement()
                .asString()
                .matches(
                        "kvgate \\S+ listening on http://\\[::1]:1234 , metrics on http://127\\.0\\.0\\.1:5678/metrics");
        assertThat(gateway.closes).isPositive();
        assertThat(errLines()).isEmpty();
    }

    @Test
    void run_start_logsEffectiveValuesAndNotesWithoutSecrets() {
        assertThat(run("--api-key", "TOPSECRET", "--enable-igw")).isZero();
        assertThat(outText())
                .contains("configuration: --host=0.0.0.0 --port=30000 ")
                .contains("--api-key=set")
                .contains("WARN GatewayMain [")
                .contains("--enable-igw: no effect, several models are always served")
                .doesNotContain("TOPSECRET");
        assertThat(started)
                .singleElement()
                .satisfies(config -> assertThat(config.auth().apiKey()).isEqualTo("TOPSECRET"));
    }

    @Test
    void run_jsonLog_printsNothingButObjects() {
        assertThat(run("--json-log")).isZero();
        assertThat(outText().lines()).isNotEmpty().allMatch(line -> line.startsWith("{") && line.endsWith("}"));
        assertThat(outText()).contains("listening on http://0.0.0.0:1234");
    }

    @Test
    void run_addressInUse_is2WithOneLine() {
        int exitCode = run(config -> {
            throw config.metrics().bindFailure(new IOException("Address already in use"));
        });
        assertThat(exitCode).isEqualTo(2);
        assertThat(errLines())
                .containsExactly(
                        "kvgate: --prometheus-host/--prometheus-port: 0.0.0.0:29000 (expected: an address that can be"
                                + " bound): Address already in use");
    }

    @Test
    void run_gatewayBreaks_is1() {
        int exitCode = run(config -> {
            throw new IllegalStateException("broken");
        });
        assertThat(exitCode).isEqualTo(1);
        assertThat(errLines()).containsExactly("kvgate: failed: java.lang.IllegalStateException: broken");
    }

    @Test
    void signals_firstIsGraceful_secondEndsAtOnce() throws InterruptedException {
        CountDownLatch graceful = new CountDownLatch(1);
        LinkedBlockingQueue<Integer> exits = new LinkedBlockingQueue<>();
        StopSignals signals = new StopSignals(graceful::countDown, exits::add);
        signals.received(15);
        graceful.await();
        assertThat(exits).isEmpty();
        signals.received(2);
        assertThat(exits).containsExactly(130);
    }
}
