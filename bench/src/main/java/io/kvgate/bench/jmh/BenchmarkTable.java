package io.kvgate.bench.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * Results of a run as a Markdown table. Mean and error (99.9 %) are wall time, as JMH measures it; CPU and B/op are the measured thread's
 * own. On a machine that others use too, CPU is the figure to look at.
 */
final class BenchmarkTable {
    private static final double NANOS_PER_MICRO = 1_000;

    private BenchmarkTable() {}

    /** One row for each result, in the order of the run. */
    static String markdown(Collection<RunResult> results) {
        StringBuilder text = new StringBuilder("\n| benchmark | parameters | threads | mean | error | CPU | B/op |\n");
        text.append("|---|---|--:|--:|--:|--:|--:|\n");
        results.forEach(result -> row(result, text));
        return text.toString();
    }

    private static void row(RunResult run, StringBuilder text) {
        BenchmarkParams params = run.getParams();
        List<String> values = new ArrayList<>();
        params.getParamsKeys().forEach(key -> values.add(key + "=" + params.getParam(key)));
        Result<?> time = run.getPrimaryResult();
        double unitNanos = time.getScoreUnit().startsWith("us/") ? NANOS_PER_MICRO : 1;
        text.append("| ").append(shortName(params.getBenchmark()));
        text.append(" | ").append(String.join(", ", values));
        text.append(" | ").append(params.getThreads());
        text.append(" | ").append(number(time.getScore())).append(' ').append(time.getScoreUnit());
        text.append(" | ").append(number(time.getScoreError()));
        text.append(" | ").append(number(perCall(run, ThreadCost.CPU) / unitNanos));
        text.append(" | ").append(number(perCall(run, ThreadCost.BYTES)));
        text.append(" |\n");
    }

    /** NaN if the benchmark does not count it. */
    static double perCall(RunResult run, String cost) {
        Result<?> calls = run.getSecondaryResults().get(ThreadCost.CALLS);
        Result<?> sum = run.getSecondaryResults().get(cost);
        return calls == null || sum == null ? Double.NaN : sum.getScore() / calls.getScore();
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
