package io.kvgate.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetricsTextTest {
    private final List<MetricsText.Sample> samples = new ArrayList<>();

    private int parse(String text) {
        return MetricsText.parse(text.getBytes(StandardCharsets.UTF_8), samples::add);
    }

    @Test
    void parse_labelsWithBracesAndEscapes_areKept() {
        int malformed = parse("m{a=\"}\\\"{,\",b=\"2\",} 1.5 1700000000\n");

        assertThat(malformed).isZero();
        assertThat(samples)
                .containsExactly(new MetricsText.Sample("m", "a=\"}\\\"{,\",b=\"2\"", "1.5 1700000000", 1.5));
        assertThat(samples.get(0).label("b")).isEqualTo("2");
        assertThat(samples.get(0).label("a")).isEqualTo("}\\\"{,");
        assertThat(samples.get(0).label("c")).isNull();
    }

    @Test
    void parse_exemplarAndSpecialValues_areUnderstood() {
        assertThat(parse("a 1 # {t=\"x\"} 3\nb +Inf\r\nc NaN\n\nd{} 2")).isZero();

        assertThat(samples).extracting(MetricsText.Sample::valueText).containsExactly("1", "+Inf", "NaN", "2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "m",
                "m{",
                "m{a} 1",
                "m{a=1} 1",
                "m{a=\"1} 1",
                "m{a=\"1\" b=\"2\"} 1",
                "m one",
                "m 1 2 3",
                "1m 1",
                "<html>",
                "m 0x10",
                "m 1d",
                "{} 1"
            })
    void parse_malformedLine_isLeftOut(String line) {
        assertThat(parse("ok 1\n" + line + "\nalso_ok 2\n")).isEqualTo(1);

        assertThat(samples).extracting(MetricsText.Sample::name).containsExactly("ok", "also_ok");
    }
}
