package io.kvgate.policies.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TokenHashTest {
    private static final long SEED = 20_261_129L;

    private static int[] ids(String text) {
        if (text.contains("..")) {
            int from = Integer.parseInt(text.substring(0, text.indexOf('.')));
            int to = Integer.parseInt(text.substring(text.lastIndexOf('.') + 1));
            return IntStream.rangeClosed(from, to).toArray();
        }
        return Stream.of(text.split(" ")).mapToInt(Integer::parseUnsignedInt).toArray();
    }

    @ParameterizedTest(name = "first {1} of {0} -> {3}")
    @CsvSource({
        "1..10, 256, 13799177757829441667, bf80870f3fe52883",
        "1 2 3 4, 256, 8052976908588476977, 6fc1ebd4f4d6ea31",
        "1 2 3 4 99, 4, 8052976908588476977, 6fc1ebd4f4d6ea31",
        "1 2 3 4 99, 5, 18205825259329323000, fca8159d61287ff8",
        "0, 256, 5238470482016868669, 48b2c92616fc193d",
        "4294967295, 256, 14801956013896328748, cd6b1c920d3f662c",
        "101 102 103, 256, 17805830921910367420, f71b04e2572234bc",
        "0..255, 256, 15072320598147647469, d12ba3ba3964c7ed",
        "0..299, 256, 15072320598147647469, d12ba3ba3964c7ed",
        "0..256, 300, 2372022862804535441, 20eb1e39e891c891"
    })
    void of_goldenTokens_goldenValues(String tokens, int first, String unsigned, String ringKey) {
        int[] ids = ids(tokens);
        long hash = TokenHash.of(ids, Math.min(first, ids.length));
        assertThat(Long.toUnsignedString(hash)).isEqualTo(unsigned);
        assertThat(TokenHash.ringPoint(hash)).isEqualTo(KeyHash.of(ringKey));
    }

    @Test
    void of_nothing_isTheHashOfNothing() {
        assertThat(TokenHash.of(new int[4], 0)).isEqualTo(0x2D06800538D394C2L);
        assertThat(TokenHash.of(new byte[4], 0)).isEqualTo(0x2D06800538D394C2L);
    }

    @Test
    void of_anyNumberOfTokens_isThatOfTheirBytes() {
        Random random = new Random(SEED);
        for (int count = 0; count < 700; count++) {
            int[] ids = random.ints(count).toArray();
            ByteBuffer bytes = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
            IntStream.of(ids).forEach(bytes::putInt);
            assertThat(TokenHash.of(ids, count))
                    .as("%d tokens, seed %d", count, SEED)
                    .isEqualTo(TokenHash.of(bytes.array(), 4 * count));
        }
    }

    @Test
    void ringPoint_smallHash_isPaddedWithZeros() {
        assertThat(TokenHash.ringPoint(0xAB)).isEqualTo(KeyHash.of("00000000000000ab"));
    }
}
