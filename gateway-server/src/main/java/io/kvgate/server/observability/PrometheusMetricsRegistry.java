package io.kvgate.server.observability;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.GatewayMeter.Kind;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.server.config.MetricsConfig;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * The gateway's meters on Micrometer with a Prometheus registry behind, exported under exactly the names of {@link
 * GatewayMeter}, beside the JVM's own.
 *
 * <p>Threading: any thread may call anything. Handles are Micrometer's, or a cell with one volatile field per gauge. Adding and
 * removing series of one gauge at the same moment is settled by the map of cells.
 *
 * <p>The number of series is bounded: each label keeps a limited number of values ({@link LabelValues}); further ones are
 * counted under {@code other}.
 */
@SuppressWarnings("deprecation") // the registry on the older Prometheus client, which the product names
public final class PrometheusMetricsRegistry implements MetricsRegistry, AutoCloseable {
    /** Distinct values that one label may take before further ones count as {@code other}. */
    public static final int DEFAULT_MAX_LABEL_VALUES = 1_000;

    private static final double NANOS_PER_SECOND = 1e9;

    /** For times that are short where all is well: time to first token, pauses, the gateway's own share. */
    private static final List<Double> FINE_BUCKETS = List.of(
            0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
            60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0);

    private static final String DURATION_SUFFIX = "duration_seconds";

    private final PrometheusMeterRegistry registry;
    private final JvmGcMetrics gcMetrics = new JvmGcMetrics();
    private final Duration[] durationBuckets;
    private final Duration[] fineBuckets = durations(FINE_BUCKETS);
    private final Map<Series, Counter> counters = new ConcurrentHashMap<>();
    private final Map<Series, GaugeCell> gauges = new ConcurrentHashMap<>();
    private final Map<Series, Histogram> histograms = new ConcurrentHashMap<>();
    private final LabelValues gaugeValues;
    private final LabelValues countedValues;

    private record Series(GatewayMeter meter, List<String> values) {}

    public PrometheusMetricsRegistry(MetricsConfig config) {
        this(config, DEFAULT_MAX_LABEL_VALUES);
    }

    /** @param maxLabelValues see {@link #DEFAULT_MAX_LABEL_VALUES}; at least 1 */
    public PrometheusMetricsRegistry(MetricsConfig config, int maxLabelValues) {
        durationBuckets = durations(config.durationBuckets());
        gaugeValues = new LabelValues(maxLabelValues);
        countedValues = new LabelValues(maxLabelValues);
        registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new CollectorRegistry(true), Clock.SYSTEM);
        registry.config().namingConvention(new ExactNames());
        new JvmMemoryMetrics().bindTo(registry);
        gcMetrics.bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /** Upper bounds of the histograms that {@code --prometheus-duration-buckets} does not shape. */
    static List<Double> fineBucketSeconds() {
        return FINE_BUCKETS;
    }

    @Override
    public Counter counter(GatewayMeter meter, String... labelValues) {
        Series series = series(meter, Kind.COUNTER, countedValues, labelValues);
        Counter known = counters.get(series);
        return known != null ? known : counters.computeIfAbsent(series, this::newCounter);
    }

    @Override
    public Gauge gauge(GatewayMeter meter, String... labelValues) {
        return cell(series(meter, Kind.GAUGE, gaugeValues, labelValues));
    }

    @Override
    public void observe(GatewayMeter meter, DoubleSupplier value, String... labelValues) {
        cell(series(meter, Kind.GAUGE, gaugeValues, labelValues)).observe(value);
    }

    @Override
    public Histogram histogram(GatewayMeter meter, String... labelValues) {
        Series series = series(meter, Kind.HISTOGRAM, countedValues, labelValues);
        Histogram known = histograms.get(series);
        return known != null ? known : histograms.computeIfAbsent(series, this::newHistogram);
    }

    @Override
    public void removeGauges(String label, String value) {
        if (value.equals(LabelValues.OTHER)) {
            return; // shared by series of several values
        }
        for (Series series : gauges.keySet()) {
            int index = series.meter().labels().indexOf(label);
            if (index >= 0 && series.values().get(index).equals(value)) {
                gauges.computeIfPresent(series, (key, cell) -> {
                    registry.remove(cell.meter());
                    return null;
                });
            }
        }
        gaugeValues.release(label, value);
    }

    /** Writes every series in the Prometheus text format 0.0.4. Takes milliseconds: never call it on an event loop. */
    void scrape(Writer writer) throws IOException {
        List<MetricFamilySamples> families = new ArrayList<>();
        for (MetricFamilySamples family :
                Collections.list(registry.getPrometheusRegistry().metricFamilySamples())) {
            if (!isMaxOfHistogram(family.name)) {
                families.add(family);
            }
        }
        TextFormat.write004(writer, Collections.enumeration(families));
    }

    @Override
    public void close() {
        gcMetrics.close();
        registry.close();
    }

    /** Micrometer adds a decaying maximum to each histogram; it has no place among the documented names. */
    private static boolean isMaxOfHistogram(String family) {
        return family.endsWith("_max") && ExactNames.isOurs(family);
    }

    private Series series(GatewayMeter meter, Kind kind, LabelValues admitted, String[] values) {
        if (meter.kind() != kind) {
            throw new IllegalArgumentException("meter: " + meter + " (expected: a " + kind + ")");
        }
        List<String> labels = meter.labels();
        if (labels.size() != values.length) {
            throw new IllegalArgumentException(
                    "labelValues: " + Arrays.toString(values) + " (expected: " + labels + ")");
        }
        String[] kept = new String[values.length];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = admitted.admit(labels.get(i), values[i]);
        }
        return new Series(meter, List.of(kept));
    }

    private static Duration[] durations(List<Double> seconds) {
        return seconds.stream()
                .map(bound -> Duration.ofNanos(Math.round(bound * NANOS_PER_SECOND)))
                .toArray(Duration[]::new);
    }

    private static Tags tags(Series series) {
        List<Tag> tags = new ArrayList<>();
        List<String> labels = series.meter().labels();
        for (int i = 0; i < labels.size(); i++) {
            tags.add(Tag.of(labels.get(i), series.values().get(i)));
        }
        return Tags.of(tags);
    }

    private Counter newCounter(Series series) {
        io.micrometer.core.instrument.Counter counter = io.micrometer.core.instrument.Counter.builder(
                        series.meter().metricName())
                .description(series.meter().help())
                .tags(tags(series))
                .register(registry);
        return counter::increment;
    }

    private GaugeCell cell(Series series) {
        GaugeCell known = gauges.get(series);
        return known != null ? known : gauges.computeIfAbsent(series, this::newGauge);
    }

    private GaugeCell newGauge(Series series) {
        GaugeCell.Source source = new GaugeCell.Source();
        Meter meter = io.micrometer.core.instrument.Gauge.builder(
                        series.meter().metricName(), source, GaugeCell.Source::value)
                .description(series.meter().help())
                .tags(tags(series))
                .strongReference(true)
                .register(registry);
        return new GaugeCell(source, meter);
    }

    /**
     * A timer, not a distribution summary: Micrometer rounds what a summary records up to whole numbers before it picks the
     * bucket, which makes times below a second useless.
     */
    private Histogram newHistogram(Series series) {
        String name = series.meter().metricName();
        if (!name.endsWith("_seconds")) {
            throw new IllegalArgumentException("meter: " + series.meter() + " (expected: a histogram of seconds)");
        }
        Timer timer = Timer.builder(name)
                .description(series.meter().help())
                .tags(tags(series))
                .serviceLevelObjectives(name.endsWith(DURATION_SUFFIX) ? durationBuckets : fineBuckets)
                .register(registry);
        return seconds -> timer.record(Math.round(seconds * NANOS_PER_SECOND), TimeUnit.NANOSECONDS);
    }
}
