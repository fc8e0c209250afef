package io.kvgate.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link MetricsRegistry} must do; the test of each extends this. */
public abstract class MetricsRegistryContract {
    private MetricsRegistry registry;

    /** A fresh, empty registry. */
    protected abstract MetricsRegistry newRegistry();

    /**
     * What the newest registry would export: a counter's or gauge's value, the number of records of a histogram. Null if it has no
     * such series.
     */
    protected abstract @Nullable Double read(GatewayMeter meter, String... labelValues);

    /** False for a registry that keeps nothing: every {@link #read} is then null. */
    protected boolean keepsValues() {
        return true;
    }

    @BeforeEach
    final void makeRegistry() {
        registry = newRegistry();
    }

    private void assertValue(double expected, GatewayMeter meter, String... labelValues) {
        if (keepsValues()) {
            assertThat(read(meter, labelValues)).isEqualTo(expected);
        } else {
            assertThat(read(meter, labelValues)).isNull();
        }
    }

    @Test
    void counter_addedTo_grows() {
        MetricsRegistry.Counter counter = registry.counter(GatewayMeter.HTTP_REQUESTS, "POST", "/generate");
        counter.increment();
        counter.add(4);
        assertValue(5, GatewayMeter.HTTP_REQUESTS, "POST", "/generate");
    }

    @Test
    void counter_neverAddedTo_isThereAtZero() {
        registry.counter(GatewayMeter.HTTP_REQUESTS, "POST", "/generate");
        assertValue(0, GatewayMeter.HTTP_REQUESTS, "POST", "/generate");
    }

    @Test
    void counter_askedTwice_isOneSeries() {
        registry.counter(GatewayMeter.HTTP_REQUESTS, "POST", "/generate").increment();
        registry.counter(GatewayMeter.HTTP_REQUESTS, "POST", "/generate").increment();
        assertValue(2, GatewayMeter.HTTP_REQUESTS, "POST", "/generate");
    }

    @Test
    void counter_otherLabels_isAnotherSeries() {
        registry.counter(GatewayMeter.HTTP_REQUESTS, "POST", "/generate").increment();
        registry.counter(GatewayMeter.HTTP_REQUESTS, "GET", "/generate").add(2);
        assertValue(1, GatewayMeter.HTTP_REQUESTS, "POST", "/generate");
        assertValue(2, GatewayMeter.HTTP_REQUESTS, "GET", "/generate");
    }

    @Test
    void counter_emptyLabelValue_isKept() {
        registry.counter(GatewayMeter.HTTP_RESPONSES, "200", "").increment();
        assertValue(1, GatewayMeter.HTTP_RESPONSES, "200", "");
    }

    @Test
    void gauge_setTwice_showsTheLast() {
        MetricsRegistry.Gauge gauge = registry.gauge(GatewayMeter.WORKER_HEALTH, "http://a:1");
        gauge.set(1);
        gauge.set(0.5);
        assertValue(0.5, GatewayMeter.WORKER_HEALTH, "http://a:1");
    }

    @Test
    void gauge_askedTwice_isOneSeries() {
        registry.gauge(GatewayMeter.WORKER_HEALTH, "http://a:1").set(1);
        registry.gauge(GatewayMeter.WORKER_HEALTH, "http://a:1").set(3);
        assertValue(3, GatewayMeter.WORKER_HEALTH, "http://a:1");
    }

    @Test
    void observe_sourceChanges_isReadAtEachScrape() {
        AtomicInteger source = new AtomicInteger(1);
        registry.observe(GatewayMeter.QUEUE_WAITING, source::get);
        assertValue(1, GatewayMeter.QUEUE_WAITING);
        source.set(7);
        assertValue(7, GatewayMeter.QUEUE_WAITING);
    }

    @Test
    void observe_afterRemoval_showsTheNewSource() {
        registry.observe(GatewayMeter.WORKER_REQUESTS_ACTIVE, () -> 1, "http://a:1");
        registry.removeGauges("worker", "http://a:1");
        registry.observe(GatewayMeter.WORKER_REQUESTS_ACTIVE, () -> 2, "http://a:1");
        assertValue(2, GatewayMeter.WORKER_REQUESTS_ACTIVE, "http://a:1");
    }

    @Test
    void histogram_recorded_counts() {
        MetricsRegistry.Histogram histogram = registry.histogram(GatewayMeter.WORKER_RETRY_BACKOFF, "1");
        histogram.record(0.05);
        histogram.record(1_000);
        assertValue(2, GatewayMeter.WORKER_RETRY_BACKOFF, "1");
    }

    @Test
    void removeGauges_label_takesItsGaugesOnly() {
        registry.gauge(GatewayMeter.WORKER_HEALTH, "http://a:1").set(1);
        registry.observe(GatewayMeter.WORKER_REQUESTS_ACTIVE, () -> 5, "http://a:1");
        registry.gauge(GatewayMeter.WORKER_HEALTH, "http://b:1").set(1);
        registry.counter(GatewayMeter.WORKER_CB_OUTCOMES, "http://a:1", "success")
                .increment();
        registry.removeGauges("worker", "http://a:1");
        assertThat(read(GatewayMeter.WORKER_HEALTH, "http://a:1")).isNull();
        assertThat(read(GatewayMeter.WORKER_REQUESTS_ACTIVE, "http://a:1")).isNull();
        assertValue(1, GatewayMeter.WORKER_HEALTH, "http://b:1");
        assertValue(1, GatewayMeter.WORKER_CB_OUTCOMES, "http://a:1", "success");
    }

    @Test
    void removeGauges_unknownValue_doesNothing() {
        registry.gauge(GatewayMeter.WORKER_HEALTH, "http://a:1").set(1);
        registry.removeGauges("worker", "http://z:1");
        registry.removeGauges("no_such_label", "http://a:1");
        assertValue(1, GatewayMeter.WORKER_HEALTH, "http://a:1");
    }

    @Test
    void counter_ofAGauge_isRefused() {
        assertThatThrownBy(() -> registry.counter(GatewayMeter.WORKER_HEALTH, "http://a:1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void gauge_ofACounter_isRefused() {
        assertThatThrownBy(() -> registry.gauge(GatewayMeter.HTTP_REQUESTS, "POST", "/generate"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> registry.observe(GatewayMeter.HTTP_REQUESTS, () -> 1, "POST", "/generate"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void histogram_ofACounter_isRefused() {
        assertThatThrownBy(() -> registry.histogram(GatewayMeter.HTTP_REQUESTS, "POST", "/generate"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anyMeter_wrongNumberOfLabels_isRefused() {
        assertThatThrownBy(() -> registry.counter(GatewayMeter.HTTP_REQUESTS, "POST"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> registry.gauge(GatewayMeter.READY, "extra"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void everyMeter_itsOwnKind_isAccepted() {
        for (GatewayMeter meter : GatewayMeter.values()) {
            String[] values = meter.labels().stream().map(label -> "v").toArray(String[]::new);
            switch (meter.kind()) {
                case COUNTER -> registry.counter(meter, values).increment();
                case GAUGE -> registry.gauge(meter, values).set(1);
                case HISTOGRAM -> registry.histogram(meter, values).record(0.1);
            }
            assertValue(1, meter, values);
        }
    }

    @Test
    void counter_manyThreads_losesNothing() throws InterruptedException {
        int threads = 4;
        int each = 5_000;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch done = new CountDownLatch(threads);
            for (int t = 0; t < threads; t++) {
                executor.execute(() -> {
                    MetricsRegistry.Counter counter = registry.counter(GatewayMeter.HTTP_REQUESTS, "POST", "/generate");
                    for (int i = 0; i < each; i++) {
                        counter.increment();
                    }
                    done.countDown();
                });
            }
            assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            executor.shutdownNow();
        }
        assertValue(threads * each, GatewayMeter.HTTP_REQUESTS, "POST", "/generate");
    }
}
