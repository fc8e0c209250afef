package io.kvgate.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class GatewayMeterTest {
    @Test
    void metricNames_all_areDistinctAndValid() {
        assertThat(Arrays.stream(GatewayMeter.values()).map(GatewayMeter::metricName))
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("(smg|kvgate)_[a-z0-9_]+"));
    }

    @Test
    void metricNames_byKind_haveTheirEnding() {
        for (GatewayMeter meter : GatewayMeter.values()) {
            switch (meter.kind()) {
                case COUNTER -> assertThat(meter.metricName()).endsWith("_total");
                case HISTOGRAM -> assertThat(meter.metricName()).endsWith("_seconds");
                case GAUGE -> assertThat(meter.metricName()).doesNotEndWith("_total");
            }
        }
    }

    @Test
    void labels_all_areDistinctPerMeter() {
        for (GatewayMeter meter : GatewayMeter.values()) {
            assertThat(meter.labels()).doesNotHaveDuplicates().allMatch(label -> label.matches("[a-z_]+"));
        }
    }
}
