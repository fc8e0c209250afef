package io.kvgate.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class MetricsPageTest {
    private final MetricsPage page = new MetricsPage("""
            # HELP a_total Choices.
            a_total{worker="x",branch="hit",} 3.0
            a_total{worker="y",branch="hit",} 4.0
            a_total{worker="y",branch="cold",} 1.0
            a_total_more{branch="hit"} 100.0
            b_total 5.0
            """);

    @Test
    void byLabel_addsUpWhatHasTheSameValue() {
        assertThat(page.byLabel("a_total", "branch")).isEqualTo(Map.of("hit", 7L, "cold", 1L));
        assertThat(page.byLabel("b_total", "branch")).isEqualTo(Map.of("", 5L));
        assertThat(page.byLabel("c_total", "branch")).isEmpty();
    }

    @Test
    void sum_takesTheNameWhole() {
        assertThat(page.sum("a_total")).isEqualTo(8);
        assertThat(page.sum("b_total")).isEqualTo(5);
    }
}
