package io.kvgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.resilience.ConcurrencyLimiter.Admission;
import io.kvgate.core.resilience.ConcurrencyLimiter.Arrival;
import io.kvgate.core.time.FakeTicker;
import io.kvgate.server.config.AdmissionConfig;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class AdmissionGateTest {
    private final FakeTicker ticker = new FakeTicker();
    private final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();

    private AdmissionGate gate(int concurrent, int queue, double perSecond) {
        return new AdmissionGate(
                new AdmissionConfig(concurrent, queue, Duration.ofMillis(2_500), perSecond, 0), ticker, metrics);
    }

    @Test
    void arrive_noLimits_admitsAllAndCountsNothing() {
        for (int unlimited : new int[] {0, -1}) {
            AdmissionGate gate = gate(unlimited, 10, 0);
            for (int i = 0; i < 1_000; i++) {
                assertThat(gate.arrive(() -> {}).admission()).isEqualTo(Admission.ADMITTED);
                assertThat(gate.rateRefusal()).isNull();
            }
        }
        assertThat(metrics.value(GatewayMeter.HTTP_RATE_LIMIT, "allowed")).isNull();
        assertThat(metrics.value(GatewayMeter.PERMITS_IN_USE)).isZero();
    }

    @Test
    void arrive_permitsQueueAndNoMore() {
        AdmissionGate gate = gate(1, 1, 0);
        AtomicInteger told = new AtomicInteger();
        Arrival first = gate.arrive(told::incrementAndGet);
        Arrival second = gate.arrive(told::incrementAndGet);
        Arrival third = gate.arrive(told::incrementAndGet);
        assertThat(first.admission()).isEqualTo(Admission.ADMITTED);
        assertThat(second.admission()).isEqualTo(Admission.QUEUED);
        assertThat(third.admission()).isEqualTo(Admission.REJECTED);
        assertThat(metrics.value(GatewayMeter.PERMITS_IN_USE)).isEqualTo(1);
        assertThat(metrics.value(GatewayMeter.QUEUE_WAITING)).isEqualTo(1);
        first.ticket().release();
        assertThat(told).hasValue(1);
        second.ticket().release();
        second.ticket().release();
        third.ticket().release();
        assertThat(metrics.value(GatewayMeter.PERMITS_IN_USE)).isZero();
        assertThat(metrics.value(GatewayMeter.QUEUE_WAITING)).isZero();
    }

    @Test
    void rateRefusal_bucketEmpty_saysHowLong() {
        AdmissionGate gate = gate(0, 0, 2);
        assertThat(gate.rateRefusal()).isNull();
        assertThat(gate.rateRefusal()).isNull();
        GatewayException refusal = Objects.requireNonNull(gate.rateRefusal());
        assertThat(refusal.code()).isEqualTo(ErrorCode.RATE_LIMITED);
        assertThat(refusal.message()).contains("--rate-limit-tokens-per-second 2.0");
        Duration wait = Objects.requireNonNull(refusal.retryAfter());
        assertThat(wait).isPositive().isLessThanOrEqualTo(Duration.ofMillis(500));
        ticker.advance(wait);
        assertThat(gate.rateRefusal()).isNull();
        assertThat(metrics.value(GatewayMeter.HTTP_RATE_LIMIT, "allowed")).isEqualTo(3);
        assertThat(metrics.value(GatewayMeter.HTTP_RATE_LIMIT, "rejected")).isEqualTo(1);
    }

    @Test
    void rateRefusal_lessThanOneASecond_admitsTheFirst() {
        AdmissionGate gate = gate(0, 0, 0.1);
        assertThat(gate.rateRefusal()).isNull();
        assertThat(gate.rateRefusal()).isNotNull();
        ticker.advance(Duration.ofSeconds(10));
        assertThat(gate.rateRefusal()).isNull();
    }

    @Test
    void refusals_nameTheFlagsAndValues() {
        AdmissionGate gate = gate(7, 9, 0);
        assertThat(gate.queueFull().code()).isEqualTo(ErrorCode.QUEUE_FULL);
        assertThat(gate.queueFull().message()).contains("--max-concurrent-requests 7", "--queue-size 9");
        assertThat(gate.queueTimeout().code()).isEqualTo(ErrorCode.QUEUE_TIMEOUT);
        assertThat(gate.queueTimeout().message()).contains("--queue-timeout-secs 2.5");
        assertThat(gate.queueFull().retryAfter()).isNotNull();
        assertThat(metrics.value(GatewayMeter.HTTP_RATE_LIMIT, "rejected")).isEqualTo(5);
    }
}
