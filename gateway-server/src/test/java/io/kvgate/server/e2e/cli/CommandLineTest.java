package io.kvgate.server.e2e.cli;

import static io.kvgate.server.e2e.kit.Vocabulary.CHAT;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayProcess;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway as its users start it: arguments, exit codes, what is printed. */
@Timeout(90)
final class CommandLineTest {
    private static final Duration START = Duration.ofSeconds(30);

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private GatewayProcess launch(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--host", "127.0.0.1", "--port", "0", "--prometheus-host", "127.0.0.1", "--prometheus-port", "0"));
        arguments.addAll(List.of(more));
        return fleet.owns(GatewayProcess.start(arguments.toArray(String[]::new)));
    }

    private String failure(String... arguments) throws Exception {
        GatewayProcess process = fleet.owns(GatewayProcess.start(arguments));
        assertThat(process.awaitExit(START))
                .as("%s %s", process.out(), process.err())
                .isEqualTo(2);
        return String.join("\n", process.err());
    }

    private static ClientResponse get(int port, String path) throws Exception {
        try (RawClient client = RawClient.connect(port)) {
            return client.get(path).readResponse();
        }
    }

    private static int workersOf(GatewayProcess process) throws Exception {
        return GatewayErrors.json(get(process.port(), "/workers").text())
                .path("total")
                .asInt();
    }

    @Test
    void report193_repeatedLists_areJoinedInOrder() throws Exception {
        String one = fleet.worker(Scripts.completion()).url().toString();
        String two = fleet.worker(Scripts.completion()).url().toString();
        String three = fleet.worker(Scripts.completion()).url().toString();
        GatewayProcess process = launch(
                        "--worker-urls", one, two, "--worker-urls=" + three + "," + one, "--log-level", "info")
                .awaitStarted();
        assertThat(workersOf(process)).isEqualTo(3);
        assertThat(GatewayErrors.json(get(process.port(), "/workers").text())
                        .path("workers")
                        .findValuesAsText("url"))
                .containsExactly(one, two, three);
    }

    @ParameterizedTest
    @CsvSource({
        "--port,70000,--port",
        "--policy,nosuch,round_robin",
        "--retry-jitter-factor,7,--retry-jitter-factor",
        "--worker-urls,ftp://a:1,--worker-urls",
        "--max-payload-size,0,--max-payload-size"
    })
    void report195_badValue_isNamedAndExitIsTwo(String flag, String value, String told) throws Exception {
        assertThat(failure(flag, value)).contains(flag, value, told);
    }

    @Test
    void report195_unknownFlag_tellsTheNearest() throws Exception {
        assertThat(failure("--worker-url", "http://127.0.0.1:1")).contains("--worker-url", "--worker-urls");
    }

    @Test
    void report195_missingValue_isNamed() throws Exception {
        assertThat(failure("--port")).contains("--port");
    }

    @Test
    void report195_severalProblems_areToldAtOnce() throws Exception {
        assertThat(failure("--port", "70000", "--policy", "nosuch", "--retry-max-retries", "0"))
                .contains("--port", "--policy", "--retry-max-retries");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "--version"})
    void report195_helpAndVersion_endWell(String flag) throws Exception {
        GatewayProcess process = fleet.owns(GatewayProcess.start(flag));
        assertThat(process.awaitExit(START)).isZero();
        assertThat(String.join("\n", process.out())).containsIgnoringCase("kvgate");
        assertThat(process.err()).isEmpty();
    }

    @Test
    void report039_limits_areFlagsInTheHelp() throws Exception {
        GatewayProcess process = fleet.owns(GatewayProcess.start("--help"));
        assertThat(process.awaitExit(START)).isZero();
        assertThat(String.join("\n", process.out()))
                .contains(
                        "--connect-timeout-secs",
                        "--response-head-timeout-secs",
                        "--stream-idle-timeout-secs",
                        "--request-timeout-secs");
    }

    @ParameterizedTest
    @CsvSource({"--port", "--prometheus-port"})
    void report174_portInUse_isToldWithFlagAndAddress(String flag) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(taken.getLocalPort());
            String other = flag.equals("--port") ? "--prometheus-port" : "--port";
            String told = failure("--host", "127.0.0.1", "--prometheus-host", "127.0.0.1", flag, port, other, "0");
            assertThat(told).contains(flag, port).doesNotContain("\tat ");
        }
    }

    @Test
    void report174_badHost_isTold() throws Exception {
        assertThat(failure("--host", "no.such.host.invalid", "--port", "0", "--prometheus-port", "0"))
                .contains("--host")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--pd-disaggregation", "--service-discovery", "--enable-mesh", "--enable-wasm"})
    void report126_flagsThatCantBeHonoured_areRefused(String flag) throws Exception {
        assertThat(failure(flag)).contains(flag);
    }

    @Test
    void report194_logLevelWarn_isObeyedFromTheFirstLine() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayProcess process = launch("--worker-urls", worker.url().toString(), "--log-level", "warn")
                .awaitStarted();
        await().atMost(START).until(() -> get(process.port(), "/readiness").status() == 200);
        try (RawClient client = RawClient.connect(process.port())) {
            assertThat(client.post(CHAT, REQ_N).readResponse().status()).isEqualTo(200);
        }
        assertThat(process.out()).noneMatch(line -> line.contains("INFO") || line.contains("DEBUG"));
    }

    @Test
    void report073_explicitRateOfZero_isNoRate() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayProcess process = launch(
                        "--worker-urls",
                        worker.url().toString(),
                        "--max-concurrent-requests",
                        "2",
                        "--rate-limit-tokens-per-second",
                        "0")
                .awaitStarted();
        await().atMost(START).until(() -> get(process.port(), "/readiness").status() == 200);
        try (RawClient client = RawClient.connect(process.port())) {
            for (int i = 0; i < 30; i++) {
                assertThat(client.post(CHAT, REQ_N).readResponse().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void sigterm_whenIdle_endsInOrder() throws Exception {
        GatewayProcess process = launch("--drain-settle-secs", "0").awaitStarted();
        process.terminate();
        assertThat(process.awaitExit(Duration.ofSeconds(10))).isIn(0, 143);
    }
}
