package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BucketRangesTest {
    private static final long SEED = 20_261_129L;

    /** As {@code [0,60][61,MAX]}. */
    static String text(BucketRanges ranges) {
        StringBuilder text = new StringBuilder();
        long low = 0;
        for (int i = 0; i < ranges.count(); i++) {
            long last = ranges.last(i);
            text.append('[')
                    .append(low)
                    .append(',')
                    .append(last == Long.MAX_VALUE ? "MAX" : last)
                    .append(']');
            low = last + 1;
        }
        return text.toString();
    }

    static void assertCoverAll(BucketRanges ranges) {
        long low = 0;
        for (int i = 0; i < ranges.count(); i++) {
            assertThat(ranges.last(i)).isGreaterThanOrEqualTo(low);
            assertThat(ranges.of(low)).isEqualTo(i);
            assertThat(ranges.of(ranges.last(i))).isEqualTo(i);
            low = ranges.last(i) + 1;
        }
        if (ranges.count() > 0) {
            assertThat(ranges.last(ranges.count() - 1)).isEqualTo(Long.MAX_VALUE);
        }
    }

    @ParameterizedTest(name = "B1: {0} workers -> {1}")
    @CsvSource({
        "1, '[0,MAX]'",
        "2, '[0,2047][2048,MAX]'",
        "3, '[0,1364][1365,2729][2730,MAX]'",
        "4, '[0,1023][1024,2047][2048,3071][3072,MAX]'"
    })
    void first_row(int count, String expected) {
        assertThat(text(BucketRanges.first(count))).isEqualTo(expected);
    }

    @Test
    void of_lengthBeyondAllMemory_isTheLast() {
        // B2 with its longest prompt
        assertThat(BucketRanges.first(2).of(1_000_000_000_000L)).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0}: {1} among {2} -> per {3}, {4}")
    @CsvSource({
        "B3,  8 8 8 40 60 100,      3, 74,     '[0,60][61,100][101,MAX]'",
        "B5,  100 200 300 400 500,  3, 500,    '[0,300][301,500][501,MAX]'",
        "B6,  10 20 30 40,          2, 50,     '[0,30][31,MAX]'",
        "B8,  0,                    2, 0,      '[0,0][1,MAX]'",
        "B9,  500000,               2, 250000, '[0,500000][500001,MAX]'",
        "B12, 33 34 34,             3, 33,     '[0,33][34,67][68,MAX]'",
        "B18, 100 300,              2, 200,    '[0,300][301,MAX]'"
    })
    void dividing_row(String row, String lengths, int count, long perRange, String expected) {
        BucketRanges ranges = BucketRanges.dividing(
                Stream.of(lengths.split(" ")).mapToLong(Long::parseLong).toArray(), count);
        assertThat(ranges.workPerRange()).as(row).isEqualTo(perRange);
        assertThat(text(ranges)).as(row).isEqualTo(expected);
    }

    @Test
    void dividing_anyLengths_coversAllAndSharesTheWork() {
        Random random = new Random(SEED);
        for (int round = 0; round < 500; round++) {
            int count = random.nextInt(1, 20);
            long[] lengths = LongStream.generate(() -> (long) Math.exp(random.nextDouble() * 12))
                    .limit(random.nextInt(1, 2_000))
                    .sorted()
                    .toArray();
            BucketRanges ranges = BucketRanges.dividing(lengths, count);
            assertThat(ranges.count()).isEqualTo(count);
            assertCoverAll(ranges);
            long[] work = new long[count];
            LongStream.of(lengths).forEach(length -> work[ranges.of(length)] += length);
            // A range ends with the length that fills it; equal lengths can't be parted, so those may come on top.
            for (int i = 0; i < count - 1; i++) {
                long last = ranges.last(i);
                long ofLast =
                        LongStream.of(lengths).filter(length -> length == last).sum();
                assertThat(work[i]).as("round %d, seed %d", round, SEED).isLessThan(ranges.workPerRange() + ofLast + 1);
            }
        }
    }
}
