package io.kvgate.policies.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.apache.commons.codec.digest.Blake3;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The published values, and a second implementation as the judge of the rest. */
final class KeyHashTest {
    private static final long SEED = 20_261_129L;

    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource({
        "'', 12007152915317330863",
        "a, 6027058585768261143",
        "tenant-42, 1709392907936344429",
        "session-7, 12972644297372546833",
        "session-8, 7524735035410018875",
        "user:zoë, 14654927667730555886",
        "😀, 3431208954028720498",
        "Bearer sk-test, 17557386149784964089",
        "203.0.113.9, 10151073204110736199",
        "sid=abc, 14532318609002936095",
        "http://gpu-a:9000#0, 13002323450977478416",
        "http://gpu-a:9000#149, 4532311219782395390",
        "wrap-411, 18445331200165958627",
        "hello, 10557148580892020714"
    })
    void of_goldenInputs_goldenValues(String key, String unsigned) {
        assertThat(Long.toUnsignedString(KeyHash.of(key))).isEqualTo(unsigned);
    }

    /** Around every boundary of block, chunk and tree level. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                0, 1, 3, 4, 63, 64, 65, 127, 128, 129, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 3_072, 3_073, 4_096,
                4_097, 8_191, 8_192, 8_193, 16_385, 65_536, 70_000
            })
    void of_lengthsAtBoundaries_areThoseOfCommonsCodec(int length) {
        agree(length, new Random(SEED + length));
    }

    @Test
    void of_manyRandomLengths_areThoseOfCommonsCodec() {
        Random random = new Random(SEED);
        for (int i = 0; i < 2_000; i++) {
            agree(random.nextInt(i % 10 == 0 ? 20_000 : 1_500), random);
        }
    }

    private static void agree(int length, Random random) {
        byte[] input = new byte[length];
        random.nextBytes(input);
        int[] words = io.kvgate.policies.hash.Blake3.hash(input, length);
        ByteBuffer expected = ByteBuffer.wrap(Blake3.hash(input)).order(ByteOrder.LITTLE_ENDIAN);
        for (int word : words) {
            assertThat(word).as("length %d, seed %d", length, SEED).isEqualTo(expected.getInt());
        }
        assertThat(words).hasSize(8);
    }

    @Test
    void of_partOfAnArray_countsNoMore() {
        byte[] input = new byte[200];
        new Random(SEED).nextBytes(input);
        byte[] part = new byte[70];
        System.arraycopy(input, 0, part, 0, 70);
        assertThat(io.kvgate.policies.hash.Blake3.hash(input, 70))
                .isEqualTo(io.kvgate.policies.hash.Blake3.hash(part, 70));
    }

    @Test
    void shortened_shortKey_isItself() {
        String key = "k".repeat(64);
        assertThat(KeyHash.shortened(key)).isSameAs(key);
        assertThat(KeyHash.shortened("")).isEmpty();
    }

    @Test
    void shortened_longKeys_areShortAndDistinct() {
        Set<String> kept = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            String shortened = KeyHash.shortened("k".repeat(65 + i));
            assertThat(shortened).hasSize(34).startsWith("\0#");
            assertThat(KeyHash.shortened("k".repeat(65 + i))).isEqualTo(shortened);
            kept.add(shortened);
        }
        assertThat(kept).hasSize(1_000);
    }
}
