package io.kvgate.server.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.metrics.MetricsRegistryContract;
import io.kvgate.server.config.MetricsConfig;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PrometheusMetricsRegistryTest extends MetricsRegistryContract {
    private PrometheusMetricsRegistry registry = newRegistry();

    @Override
    protected PrometheusMetricsRegistry newRegistry() {
        if (registry != null) {
            registry.close();
        }
        registry = new PrometheusMetricsRegistry(new MetricsConfig("127.0.0.1", 0, List.of(0.5, 1.0)), 3);
        return registry;
    }

    @Override
    protected @Nullable Double read(GatewayMeter meter, String... labelValues) {
        String name = meter.metricName() + (meter.kind() == GatewayMeter.Kind.HISTOGRAM ? "_count" : "");
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < labelValues.length; i++) {
            pairs.add(meter.labels().get(i) + "=\"" + labelValues[i] + "\"");
        }
        return lines().stream()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .filter(line -> pairs.stream().allMatch(line::contains))
                .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElse(null);
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private List<String> lines() {
        StringWriter page = new StringWriter();
        try {
            registry.scrape(page);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return page.toString().lines().toList();
    }

    private List<String> samples(String prefix) {
        return lines().stream().filter(line -> line.startsWith(prefix)).toList();
    }

    private void touch(GatewayMeter meter) {
        String[] values = meter.labels().stream().map(label -> "v").toArray(String[]::new);
        switch (meter.kind()) {
            case COUNTER -> registry.counter(meter, values).add(2);
            case GAUGE -> registry.gauge(meter, values).set(2);
            case HISTOGRAM -> registry.histogram(meter, values).record(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void scrape_exportsEachMeterUnderItsExactNameAndType(GatewayMeter meter) {
        touch(meter);
        String name = meter.metricName();
        String type = meter.kind().name().toLowerCase(Locale.ROOT);
        assertThat(lines()).contains("# TYPE " + name + " " + type, "# HELP " + name + " " + meter.help());
        switch (meter.kind()) {
            case COUNTER, GAUGE ->
                assertThat(samples(name)).singleElement().satisfies(sample -> {
                    assertThat(sample).endsWith(" 2.0");
                    assertThat(labelsOf(sample)).isEqualTo(new TreeSet<>(meter.labels()));
                });
            case HISTOGRAM -> {
                assertThat(samples(name + "_count")).singleElement().asString().endsWith(" 1.0");
                assertThat(samples(name + "_sum")).singleElement().asString().endsWith(" 2.0");
                assertThat(samples(name + "_bucket"))
                        .last()
                        .asString()
                        .contains("le=\"+Inf\"")
                        .endsWith(" 1.0");
            }
        }
    }

    private static Set<String> labelsOf(String sample) {
        Set<String> labels = new TreeSet<>();
        int open = sample.indexOf('{');
        if (open >= 0) {
            Arrays.stream(sample.substring(open + 1, sample.indexOf('}')).split(","))
                    .map(pair -> pair.substring(0, pair.indexOf('=')))
                    .forEach(labels::add);
        }
        return labels;
    }

    @Test
    void scrape_allMeters_exportsNoFamilyBesideTheDocumentedOnes() {
        for (GatewayMeter meter : GatewayMeter.values()) {
            touch(meter);
        }
        Set<String> families = lines().stream()
                .filter(line -> line.startsWith("# TYPE smg_") || line.startsWith("# TYPE kvgate_"))
                .map(line -> line.split(" ")[2])
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(families)
                .containsExactlyElementsOf(Arrays.stream(GatewayMeter.values())
                        .map(GatewayMeter::metricName)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void scrape_containsTheJvm() {
        assertThat(lines())
                .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"))
                .anyMatch(line -> line.startsWith("process_uptime_seconds "))
                .anyMatch(line -> line.startsWith("system_cpu_count "));
    }

    @Test
    void counter_emptyLabelValue_isKept() {
        registry.counter(GatewayMeter.HTTP_RESPONSES, "200", "").increment();
        assertThat(samples("smg_http_responses_total"))
                .singleElement()
                .asString()
                .contains("status_code=\"200\"", "error_code=\"\"");
    }

    @Test
    void counter_askedTwice_isTheSameSeries() {
        registry.counter(GatewayMeter.HTTP_RATE_LIMIT, "allowed").add(3);
        registry.counter(GatewayMeter.HTTP_RATE_LIMIT, "allowed").increment();
        assertThat(samples("smg_http_rate_limit_total"))
                .singleElement()
                .asString()
                .endsWith(" 4.0");
    }

    @Test
    void counter_notIncremented_isZero() {
        registry.counter(GatewayMeter.HTTP_RATE_LIMIT, "allowed");
        assertThat(samples("smg_http_rate_limit_total"))
                .singleElement()
                .asString()
                .endsWith(" 0.0");
    }

    @Test
    void counter_hostileLabelValue_isEscaped() {
        registry.counter(GatewayMeter.HTTP_RATE_LIMIT, "a\"\n\\b").increment();
        assertThat(samples("smg_http_rate_limit_total"))
                .singleElement()
                .asString()
                .contains("result=\"a\\\"\\n\\\\b\"");
    }

    @Test
    void histogram_durationMeter_hasTheConfiguredBuckets() {
        MetricsRegistry.Histogram histogram =
                registry.histogram(GatewayMeter.HTTP_REQUEST_DURATION, "POST", "/v1/chat/completions");
        histogram.record(0.5);
        histogram.record(0.7);
        histogram.record(7_200);
        assertThat(samples("smg_http_request_duration_seconds_bucket"))
                .extracting(line -> line.substring(line.indexOf("le=")))
                .containsExactly("le=\"0.5\",} 1.0", "le=\"1.0\",} 2.0", "le=\"+Inf\",} 3.0");
    }

    @Test
    void histogram_shortTimes_haveFineBucketsUpToAnHour() {
        registry.histogram(GatewayMeter.ROUTER_TTFT, "http", "regular", "m", "chat")
                .record(0.0007);
        assertThat(samples("smg_router_ttft_seconds_bucket"))
                .anyMatch(line -> line.contains("le=\"5.0E-4\"") && line.endsWith(" 0.0"))
                .anyMatch(line -> line.contains("le=\"0.001\"") && line.endsWith(" 1.0"))
                .anyMatch(line -> line.contains("le=\"3600.0\""));
    }

    @Test
    void observe_isReadAtEachScrape() {
        double[] value = {1};
        registry.observe(GatewayMeter.QUEUE_WAITING, () -> value[0]);
        assertThat(samples("kvgate_queue_waiting")).containsExactly("kvgate_queue_waiting 1.0");
        value[0] = 2;
        assertThat(samples("kvgate_queue_waiting")).containsExactly("kvgate_queue_waiting 2.0");
    }

    @Test
    void observe_supplierThatThrows_leavesTheOthers() {
        registry.observe(GatewayMeter.QUEUE_WAITING, () -> {
            throw new IllegalStateException("broken");
        });
        registry.gauge(GatewayMeter.READY).set(1);
        assertThat(samples("kvgate_")).contains("kvgate_queue_waiting NaN", "kvgate_ready 1.0");
    }

    @Test
    void removeGauges_takesAllSeriesOfTheValueAndNoOther() {
        registry.gauge(GatewayMeter.WORKER_HEALTH, "w1").set(1);
        registry.gauge(GatewayMeter.WORKER_HEALTH, "w2").set(1);
        registry.observe(GatewayMeter.WORKER_REQUESTS_ACTIVE, () -> 5, "w1");
        registry.counter(GatewayMeter.WORKER_CB_OUTCOMES, "w1", "success").increment();
        registry.removeGauges("worker", "w1");
        assertThat(samples("smg_worker_health")).singleElement().asString().contains("w2");
        assertThat(samples("smg_worker_requests_active")).isEmpty();
        assertThat(samples("smg_worker_cb_outcomes_total")).hasSize(1);
    }

    @Test
    void removeGauges_thenAddedAgain_startsAnew() {
        MetricsRegistry.Gauge old = registry.gauge(GatewayMeter.WORKER_HEALTH, "w1");
        old.set(1);
        registry.removeGauges("worker", "w1");
        old.set(7);
        assertThat(samples("smg_worker_health")).isEmpty();
        registry.gauge(GatewayMeter.WORKER_HEALTH, "w1").set(0);
        assertThat(samples("smg_worker_health")).singleElement().asString().endsWith(" 0.0");
    }

    @Test
    void labelValues_beyondTheBound_areOther() {
        for (int i = 0; i < 10; i++) {
            registry.counter(GatewayMeter.HTTP_RATE_LIMIT, "r" + i).increment();
        }
        assertThat(samples("smg_http_rate_limit_total"))
                .hasSize(4)
                .anyMatch(line -> line.contains("result=\"other\"") && line.endsWith(" 7.0"));
    }

    @Test
    void labelValues_ofRemovedGauges_makeRoom() {
        for (int i = 0; i < 10; i++) {
            registry.gauge(GatewayMeter.WORKER_HEALTH, "w" + i).set(1);
            assertThat(samples("smg_worker_health")).singleElement().asString().contains("\"w" + i + "\"");
            registry.removeGauges("worker", "w" + i);
        }
        assertThat(samples("smg_worker_health")).isEmpty();
    }

    @Test
    void lookUp_wrongCountOrKind_isRefused() {
        assertThatThrownBy(() -> registry.counter(GatewayMeter.HTTP_RATE_LIMIT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("labelValues: [] (expected: [result])");
        assertThatThrownBy(() -> registry.gauge(GatewayMeter.HTTP_RATE_LIMIT, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("meter: HTTP_RATE_LIMIT (expected: a GAUGE)");
    }
}
