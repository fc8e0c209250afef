package io.kvgate.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MetricsMergeTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(MetricsMerge merge) {
        return new String(merge.toBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void add_sameFamilyTwice_hasOneHeaderAndAllSamples() {
        MetricsMerge merge = new MetricsMerge(10_000);
        String histogram = "# HELP h Time.\n# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 0.5\nh_count 1\n";
        merge.add("http://a:1", bytes("# HELP g Things.\n# TYPE g gauge\ng 1\n" + histogram));
        merge.add("http://b:2", bytes(histogram + "# HELP g Others.\n# TYPE g gauge\ng{x=\"y\"} 2\n"));

        assertThat(text(merge)).isEqualTo("""
                        # HELP g Things.
                        # TYPE g gauge
                        g{worker_addr="http://a:1"} 1
                        g{worker_addr="http://b:2",x="y"} 2
                        # HELP h Time.
                        # TYPE h histogram
                        h_bucket{worker_addr="http://a:1",le="1"} 1
                        h_sum{worker_addr="http://a:1"} 0.5
                        h_count{worker_addr="http://a:1"} 1
                        h_bucket{worker_addr="http://b:2",le="1"} 1
                        h_sum{worker_addr="http://b:2"} 0.5
                        h_count{worker_addr="http://b:2"} 1
                        """);
    }

    @Test
    void add_labelOfThatNameThere_isRenamed() {
        MetricsMerge merge = new MetricsMerge(10_000);
        merge.add("u", bytes("a{worker_addr=\"x\",b=\"1\"} 1\nb{c=\"1\",worker_addr=\"y\"} 2\n"));

        assertThat(text(merge)).isEqualTo("""
                        a{worker_addr="u",exported_worker_addr="x",b="1"} 1
                        b{worker_addr="u",c="1",exported_worker_addr="y"} 2
                        """);
    }

    @Test
    void add_garbage_leavesNothing() {
        MetricsMerge merge = new MetricsMerge(10_000);
        merge.add("u", bytes("<html>\n# TYPE\n# TYPE x gauge\n# EOF\n{{{\n"));

        assertThat(text(merge)).isEmpty();
    }

    @Test
    void add_overLimit_leavesWorkerOutAndSaysSo() {
        MetricsMerge merge = new MetricsMerge(60);
        merge.add("u", bytes("a 1\n"));
        merge.add("v", bytes("b 2\n".repeat(20)));

        assertThat(merge.leftOut()).isEqualTo(1);
        assertThat(text(merge))
                .contains("a{worker_addr=\"u\"} 1")
                .contains("1 workers left out")
                .doesNotContain("b{");
    }
}
