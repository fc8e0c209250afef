package io.kvgate.core.metrics;

import io.kvgate.core.metrics.GatewayMeter.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every series so that tests can read it.
 *
 * <p>Threading: any thread.
 */
public final class RecordingMetricsRegistry implements MetricsRegistry {
    private record Series(GatewayMeter meter, List<String> labelValues) {}

    private static final class Cell {
        private volatile DoubleSupplier source;

        Cell(DoubleSupplier source) {
            this.source = source;
        }
    }

    private final Map<Series, LongAdder> counters = new ConcurrentHashMap<>();
    private final Map<Series, Cell> gauges = new ConcurrentHashMap<>();
    private final Map<Series, List<Double>> histograms = new ConcurrentHashMap<>();

    @Override
    public Counter counter(GatewayMeter meter, String... labelValues) {
        return counters.computeIfAbsent(series(meter, Kind.COUNTER, labelValues), key -> new LongAdder())::add;
    }

    @Override
    public Gauge gauge(GatewayMeter meter, String... labelValues) {
        Cell cell = gauges.computeIfAbsent(series(meter, Kind.GAUGE, labelValues), key -> new Cell(() -> 0.0));
        return value -> cell.source = () -> value;
    }

    @Override
    public void observe(GatewayMeter meter, DoubleSupplier value, String... labelValues) {
        gauges.put(series(meter, Kind.GAUGE, labelValues), new Cell(value));
    }

    @Override
    public Histogram histogram(GatewayMeter meter, String... labelValues) {
        List<Double> values =
                histograms.computeIfAbsent(series(meter, Kind.HISTOGRAM, labelValues), key -> new ArrayList<>());
        return value -> {
            synchronized (values) {
                values.add(value);
            }
        };
    }

    @Override
    public void removeGauges(String label, String value) {
        gauges.keySet().removeIf(series -> {
            int index = series.meter.labels().indexOf(label);
            return index >= 0 && series.labelValues.get(index).equals(value);
        });
    }

    /** The counter's or gauge's value, or the number of a histogram's records; null if there is no such series. */
    public @Nullable Double value(GatewayMeter meter, String... labelValues) {
        Series series = series(meter, meter.kind(), labelValues);
        return switch (meter.kind()) {
            case COUNTER -> {
                LongAdder counter = counters.get(series);
                yield counter == null ? null : Double.valueOf((double) counter.sum());
            }
            case GAUGE -> {
                Cell cell = gauges.get(series);
                yield cell == null ? null : Double.valueOf(cell.source.getAsDouble());
            }
            case HISTOGRAM -> {
                List<Double> values = histograms.get(series);
                yield values == null ? null : Double.valueOf((double) values.size());
            }
        };
    }

    private static Series series(GatewayMeter meter, Kind kind, String... labelValues) {
        meter.check(kind, labelValues);
        return new Series(meter, List.copyOf(Arrays.asList(labelValues)));
    }
}
