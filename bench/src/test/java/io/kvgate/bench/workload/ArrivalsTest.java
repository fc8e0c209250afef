package io.kvgate.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.kvgate.core.random.SplitMixRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ArrivalsTest {
    private static final int MANY = 200_000;

    @Test
    void poisson_gapsHaveTheMeanAndSpreadOfAnExponential() {
        Arrivals arrivals = Arrivals.poisson(100, new SplitMixRandom(11));
        double[] millis = LongStream.generate(arrivals::nextGapNanos)
                .limit(MANY)
                .mapToDouble(nanos -> nanos / 1e6)
                .toArray();
        double mean = LongStream.range(0, MANY)
                .mapToDouble(i -> millis[(int) i])
                .average()
                .orElseThrow();
        double squares = LongStream.range(0, MANY)
                .mapToDouble(i -> (millis[(int) i] - mean) * (millis[(int) i] - mean))
                .average()
                .orElseThrow();
        long longerThanMean =
                LongStream.range(0, MANY).filter(i -> millis[(int) i] > 10).count();

        assertThat(mean).isCloseTo(10, within(0.1));
        assertThat(Math.sqrt(squares)).isCloseTo(10, within(0.2));
        assertThat((double) longerThanMean / MANY).isCloseTo(Math.exp(-1), within(0.01));
    }

    @Test
    void fixed_gapsAreEqual() {
        Arrivals arrivals = Arrivals.fixed(250);

        assertThat(arrivals.nextGapNanos()).isEqualTo(4_000_000);
        assertThat(arrivals.nextGapNanos()).isEqualTo(4_000_000);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 2e6})
    void rate_outOfRange_isRefused(double perSecond) {
        assertThatThrownBy(() -> Arrivals.fixed(perSecond))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("perSecond");
    }
}
