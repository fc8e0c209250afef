package io.kvgate.bench.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/** Results of a run as a Markdown table: mean, its 99.9 % error and bytes allocated per call. */
final class BenchmarkTable {
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private BenchmarkTable() {}

    /** One row for each result, in the order of the run. */
    static String markdown(Collection<RunResult> results) {
        StringBuilder text = new StringBuilder("\n| benchmark | parameters | threads | mean | error | B/op |\n");
        text.append("|---|---|--:|--:|--:|--:|\n");
        results.forEach(result -> row(result, text));
        return text.toString();
    }

    private static void row(RunResult run, StringBuilder text) {
        BenchmarkParams params = run.getParams();
        List<String> values = new ArrayList<>();
        params.getParamsKeys().forEach(key -> values.add(key + "=" + params.getParam(key)));
        Result<?> time = run.getPrimaryResult();
        Result<?> allocated = run.getSecondaryResults().get(ALLOCATED);
        text.append("| ").append(shortName(params.getBenchmark()));
        text.append(" | ").append(String.join(", ", values));
        text.append(" | ").append(params.getThreads());
        text.append(" | ").append(number(time.getScore())).append(' ').append(time.getScoreUnit());
        text.append(" | ").append(number(time.getScoreError()));
        text.append(" | ").append(allocated == null ? "?" : number(allocated.getScore()));
        text.append(" |\n");
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
