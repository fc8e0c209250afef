package io.kvgate.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClosedFormTest {
    /** 1,000 prefixes of 128 blocks over 8 replicas, whose pool is 26,784 blocks, or half of that. */
    @ParameterizedTest
    @CsvSource({
        "1000,  0, 13392, .105",
        "1000,  8, 13392, .098",
        "1000, 17, 13392, .092",
        "1000, 65, 13392, .069",
        " 125,  0, 13392, .837",
        " 125, 17, 13392, .684",
        " 125, 65, 13392, .493",
        "1000,  0, 26784, .209",
        "1000, 17, 26784, .183",
        " 125,  0, 26784, 1",
        " 125, 17, 26784, .994",
        " 125, 65, 26784, .816",
    })
    void hit_isAsCalculatedElsewhere(double prefixes, double otherBlocks, double poolBlocks, double expected) {
        assertThat(ClosedForm.hit(prefixes, 128, otherBlocks, poolBlocks)).isCloseTo(expected, within(.0015));
    }
}
