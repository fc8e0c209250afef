package io.kvgate.bench.engine.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ByteTokenizerTest {

    @Test
    void ascii_isFourBytesAToken() {
        assertThat(ByteTokenizer.tokenize("abcdefghi")).containsExactly(0x61626364, 0x65666768, 0x69);
        assertThat(ByteTokenizer.tokenize("")).isEmpty();
    }

    @Test
    void anyText_comesBackAndHasNoNegativeIds() {
        long seed = 11;
        SplittableRandom random = new SplittableRandom(seed);
        int[] alphabet = {'a', ' ', '"', 0xfc, 0x20ac, 0x65e5, 0x1f642};
        for (int i = 0; i < 500; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(30); n > 0; n--) {
                text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
            }
            int[] tokens = ByteTokenizer.tokenize(text.toString());

            assertThat(ByteTokenizer.detokenize(tokens)).as("seed %d", seed).isEqualTo(text.toString());
            for (int token : tokens) {
                assertThat(token).isNotNegative();
            }
        }
    }

    @Test
    void chatTemplate_keepsTheShorterConversationAsPrefix() throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        String one = "{\"role\":\"user\",\"content\":\"Grüße 🙂\"}";
        int[] shorter = ChatTemplate.tokenize(mapper.readTree("[" + one + "]"));
        int[] longer = ChatTemplate.tokenize(
                mapper.readTree("[" + one + ",{\"role\":\"assistant\",\"content\":\"x\"}," + one + "]"));

        assertThat(longer).startsWith(shorter);
    }
}
