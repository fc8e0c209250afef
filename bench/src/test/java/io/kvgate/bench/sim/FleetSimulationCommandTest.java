package io.kvgate.bench.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.bench.sim.traffic.TokenText;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FleetSimulationCommandTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return SimulationMain.run(new PrintStream(bytes, true, StandardCharsets.UTF_8), List.of(arguments));
    }

    private String output() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void run_oneWorkload_printsItsLineAndWritesTheTable(@TempDir Path dir) throws Exception {
        Path document = dir.resolve("page.md");
        Files.writeString(document, "before\n<!-- begin: bench simulate -->\n<!-- end: bench simulate -->\nafter\n");

        int code = run(
                "--workload",
                "even",
                "--rate",
                "20",
                "--secs",
                "3",
                "--seed",
                "5",
                "--policy",
                "round_robin",
                "--write",
                document.toString());

        assertThat(code).isZero();
        assertThat(output()).contains("| even | 20 | `--policy round_robin` | ");
        assertThat(Files.readString(document))
                .startsWith("before\n")
                .endsWith("after\n")
                .contains("| even | 20 | `--policy round_robin` | ")
                .contains("3 s of virtual time")
                .contains("seed 5");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--workload=x --secs 3 | --workload: nothing",
                "--workload x | --workload: x (expected: even, hot, documents, sessions)",
                "--workload even --rate 0 | --rate: 0.0 (expected: > 0",
                "--workload even --secs 0 | --secs: 0 (expected: 1 to 3600)",
                "--workload even --secs x | --secs: x (expected: a whole number)",
                "--workload even --seed | --seed: nothing (expected: a value)",
                "--workload even --policy nosuch | --policy: nosuch (expected: ",
                "--workload even --cache-threshold 2 | --cache-threshold: 2 (expected: ",
                "--policy random | --workload: nothing (expected: one of even, hot, documents, sessions",
            })
    void run_wrongArguments_saysWhatIsExpected(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(output()).startsWith("kvgate bench simulate: " + message);
    }

    @Test
    void documented_allFlagsAreTheGateways() {
        assertThat(SimulationRun.documented())
                .allSatisfy(run ->
                        assertThat(run.flags().contains(run.policy().name())).isTrue());
    }

    @Test
    void times_percentilesAreOfTheSortedTimes() {
        long[] times = new long[200];
        for (int i = 0; i < times.length; i++) {
            times[i] = (long) times.length - i;
        }

        assertThat(SimulationResult.Times.of(times)).isEqualTo(new SimulationResult.Times(200, 100.5, 100, 190, 198));
        assertThat(SimulationResult.Times.of(7)).isEqualTo(new SimulationResult.Times(1, 7, 7, 7, 7));
        assertThat(SimulationResult.Times.of()).isEqualTo(new SimulationResult.Times(0, 0, 0, 0, 0));
    }

    @ParameterizedTest
    @CsvSource({"0,0 ms", "1400000,1 ms", "999400000,999 ms", "999600000,1.0 s", "14000000000,14.0 s"})
    void time_isShownInItsUnit(long nanos, String shown) {
        assertThat(SimulationTable.time(nanos)).isEqualTo(shown);
    }

    @Test
    void prompt_tokensAndTextShareBeginnings() {
        int[] tokens = {' ' << 24 | 'a' << 16 | 'b' << 8 | 'c', 0x41424344};

        assertThat(TokenText.prompt(tokens).text()).isEqualTo(" abcABCD");
    }
}
