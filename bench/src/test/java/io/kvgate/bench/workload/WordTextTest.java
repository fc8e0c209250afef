package io.kvgate.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.bench.engine.api.ByteTokenizer;
import io.kvgate.core.random.SplitMixRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WordTextTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 2_000})
    void tokens_areAsManyAsTheEngineCounts(int count) {
        String text = new WordText(new SplitMixRandom(3)).tokens(count);

        assertThat(ByteTokenizer.tokenize(text)).hasSize(count);
        assertThat(text).hasSize(count * WordText.TOKEN_CHARS);
    }

    @Test
    void tokens_sameSeed_giveTheSameText() {
        String one = new WordText(new SplitMixRandom(3)).tokens(50);

        assertThat(new WordText(new SplitMixRandom(3)).tokens(50)).isEqualTo(one);
        assertThat(new WordText(new SplitMixRandom(4)).tokens(50)).isNotEqualTo(one);
    }
}
