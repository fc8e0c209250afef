package io.kvgate.bench.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * Results of a run as a Markdown table: mean, its 99.9 % error, the best iteration and bytes allocated per call. On a machine that others
 * use too, the best iteration is nearer to the truth than the mean.
 */
final class BenchmarkTable {
    private static final String PROFILED = "gc.alloc.rate.norm";

    private BenchmarkTable() {}

    /** One row for each result, in the order of the run. */
    static String markdown(Collection<RunResult> results) {
        StringBuilder text = new StringBuilder("\n| benchmark | parameters | threads | mean | error | best | B/op |\n");
        text.append("|---|---|--:|--:|--:|--:|--:|\n");
        results.forEach(result -> row(result, text));
        return text.toString();
    }

    private static void row(RunResult run, StringBuilder text) {
        BenchmarkParams params = run.getParams();
        List<String> values = new ArrayList<>();
        params.getParamsKeys().forEach(key -> values.add(key + "=" + params.getParam(key)));
        Result<?> time = run.getPrimaryResult();
        text.append("| ").append(shortName(params.getBenchmark()));
        text.append(" | ").append(String.join(", ", values));
        text.append(" | ").append(params.getThreads());
        text.append(" | ").append(number(time.getScore())).append(' ').append(time.getScoreUnit());
        text.append(" | ").append(number(time.getScoreError()));
        text.append(" | ").append(number(time.getStatistics().getMin()));
        text.append(" | ").append(number(allocatedPerCall(run)));
        text.append(" |\n");
    }

    /** By the benchmark's own count if it has one, else by the profiler's; NaN if there is neither. */
    private static double allocatedPerCall(RunResult run) {
        Result<?> calls = run.getSecondaryResults().get(Allocation.CALLS);
        Result<?> bytes = run.getSecondaryResults().get(Allocation.BYTES);
        if (calls != null && bytes != null) {
            return bytes.getScore() / calls.getScore();
        }
        Result<?> profiled = run.getSecondaryResults().get(PROFILED);
        return profiled == null ? Double.NaN : profiled.getScore();
    }

    private static String shortName(String benchmark) {
        int method = benchmark.lastIndexOf('.');
        return benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1);
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%.0f", value);
    }
}
