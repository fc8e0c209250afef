package io.kvgate.bench.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.policies.PolicySettings;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark runs; how fast is for the command to say, not for a test. */
final class BenchmarksTest {
    @Test
    void policySelect_runs() throws RunnerException {
        ran(
                briefly(PolicySelectBenchmark.class).param("workers", "8"),
                2 * PolicySettings.names().size());
    }

    @Test
    void requestReader_runs() throws RunnerException {
        ran(briefly(RequestReaderBenchmark.class).param("kilobytes", "2", "220"), 8);
    }

    @Test
    void candidates_runs() throws RunnerException {
        ran(briefly(CandidatesBenchmark.class).param("workers", "8"), 1);
    }

    @Test
    void radixTree_runs() throws RunnerException {
        ran(briefly(RadixTreeBenchmark.class).param("characters", "1000"), 8);
    }

    @Test
    void policySelect_knowsEveryPolicy() throws NoSuchFieldException {
        String[] names = PolicySelectBenchmark.Setting.class
                .getDeclaredField("policy")
                .getAnnotation(Param.class)
                .value();

        assertThat(Set.of(names)).isEqualTo(PolicySettings.names());
    }

    @Test
    void benchmarkClasses_allHaveATestHere() {
        Set<String> classes = BenchmarkList.defaultList().getAll(null, List.of()).stream()
                .map(entry -> entry.getUserClassQName())
                .collect(Collectors.toSet());

        assertThat(classes)
                .containsExactlyInAnyOrder(
                        PolicySelectBenchmark.class.getName(),
                        CandidatesBenchmark.class.getName(),
                        RadixTreeBenchmark.class.getName(),
                        RequestReaderBenchmark.class.getName());
    }

    private static ChainedOptionsBuilder briefly(Class<?> benchmarks) {
        return new OptionsBuilder()
                .include("^" + benchmarks.getName().replace(".", "\\.") + "\\.")
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(20))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
    }

    private static void ran(ChainedOptionsBuilder options, int results) throws RunnerException {
        Collection<RunResult> all = new Runner(options.build()).run();

        assertThat(all).hasSize(results).allSatisfy(result -> {
            assertThat(result.getPrimaryResult().getScore()).isPositive().isLessThan(1e9);
            assertThat(result.getSecondaryResults()).containsKey("gc.alloc.rate.norm");
            assertThat(BenchmarkTable.perCall(result, ThreadCost.CPU)).isPositive();
            assertThat(BenchmarkTable.perCall(result, ThreadCost.BYTES)).isNotNegative();
        });
        assertThat(BenchmarkTable.markdown(all).lines().filter(line -> line.startsWith("| ") && line.contains("s/op")))
                .hasSize(results);
    }
}
