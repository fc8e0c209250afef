package io.kvgate.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.bench.load.Latencies;
import io.kvgate.bench.load.LoadResult;
import io.kvgate.bench.load.TokenCounts;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

final class ExperimentReportTest {
    private final ExperimentReport report = new ExperimentReport(ExperimentSetup.of(Map.of("--speedup", "4")));
    private final List<Outcome> outcomes = List.of(
            outcome(PolicyRun.of("round_robin", PolicyRun.Spread.ALL_REPLICAS), .4, 380),
            outcome(
                    PolicyRun.of("cache_aware", PolicyRun.Spread.UNKNOWN, "--balance-abs-threshold", "2"),
                    Double.NaN,
                    610));

    @Test
    void markdown_saysWhatWasMeasuredAndExpected() {
        String text = report.markdown(outcomes, "a machine");

        assertThat(text)
                .contains("| `--policy round_robin` | 99 | 380 | 1,000 | 38.0 % | 40.0 % | 40 ms | 80 ms | 120 ms |"
                        + " 60.6 % | 1 |")
                .contains("| `--policy cache_aware --balance-abs-threshold 2` | 99 | 610 | 1,000 | 61.0 % | – |")
                .contains("| flags | cache_hit | cold |", "| `round_robin` | 97 | 2 |")
                .contains("seed 1")
                .contains("a machine");
    }

    @Test
    void plot_isAnXmlDocumentWithABarForEachRun() throws Exception {
        String svg = new ResultPlot(report).svg(outcomes);
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));

        assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        // Background, a bar for each run, two keys of the legend.
        assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(5);
        // Three percentiles for each run and in the legend.
        assertThat(document.getElementsByTagName("circle").getLength()).isEqualTo(9);
        assertThat(svg).contains(">cache_aware --balance-abs-threshold 2<").doesNotContain("NaN");
    }

    private static Outcome outcome(PolicyRun run, double expected, long cached) {
        Latencies latencies = new Latencies(99, 1e7, 10_000_000, 20_000_000, 30_000_000, 40_000_000);
        LoadResult load = new LoadResult(
                100,
                Map.of(LoadResult.GOOD, 99, LoadResult.TIMEOUT, 1),
                Map.of("a", 60, "b", 39),
                latencies,
                latencies,
                new TokenCounts(1_000, cached, 50),
                Duration.ofSeconds(1));
        return new Outcome(run, expected, load, new EngineCounts(1_000, cached), Map.of("cold", 2L, "cache_hit", 97L));
    }
}
