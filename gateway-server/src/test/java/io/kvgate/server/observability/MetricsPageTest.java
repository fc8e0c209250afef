package io.kvgate.server.observability;

import static io.kvgate.server.config.DocumentationPage.cell;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.server.config.DocumentationPage;
import io.kvgate.server.config.MetricsConfig;
import java.io.IOException;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/metrics.md} is made from {@link GatewayMeter}. */
final class MetricsPageTest {
    @Test
    void page_agreesWithTheMeters() throws IOException {
        StringBuilder page = new StringBuilder("# Metrics\n");
        page.append(DocumentationPage.generatedBy(MetricsPageTest.class));
        page.append("""

                `GET /metrics` on `--prometheus-host`:`--prometheus-port` answers in the Prometheus text format, without a key; other
                paths are 404. Names and labels that begin with `smg_` are those of `sglang_router`, so its dashboards go on working;
                `kvgate_` begins our own. Differences: every distribution is a histogram, and gauges of a removed worker are gone
                rather than set to -1. Counters of a removed worker stay.
                """);
        page.append("\nA label keeps at most ").append(PrometheusMetricsRegistry.DEFAULT_MAX_LABEL_VALUES);
        page.append(" values; further ones are counted as `other`, and one warning says so.\n");
        page.append("\n| metric | type | labels | |\n|---|---|---|---|\n");
        for (GatewayMeter meter : GatewayMeter.values()) {
            page.append("| `").append(meter.metricName()).append("` | ");
            page.append(meter.kind().name().toLowerCase(Locale.ROOT)).append(" | ");
            page.append(meter.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(" ")));
            page.append(" | ").append(cell(meter.help())).append(" |\n");
        }
        page.append(
                "\n## Buckets\n\nIn seconds. Histograms named `…duration_seconds`, unless `--prometheus-duration-buckets`");
        page.append(" says otherwise:\n\n");
        page.append(MetricsConfig.DEFAULT.durationBuckets().stream()
                .map(Object::toString)
                .collect(Collectors.joining(" ")));
        page.append("\n\nThe others, which are short where all is well:\n\n");
        page.append(PrometheusMetricsRegistry.fineBucketSeconds().stream()
                .map(Object::toString)
                .collect(Collectors.joining(" ")));
        page.append("""


                ## The process

                Beside these stand Micrometer's meters of the JVM and the process: `jvm_memory_*`, `jvm_buffer_*`, `jvm_gc_*`,
                `jvm_threads_*`, `process_cpu_*`, `process_uptime_seconds`, `process_start_time_seconds`, `system_cpu_*`,
                `system_load_average_1m`.
                """);
        DocumentationPage.check("metrics.md", page.toString());
    }
}
