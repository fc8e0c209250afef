package io.kvgate.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.random.SplitMixRandom;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChatTextTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 500, 10_000})
    void characters_english_areAsciiOfThatLength(int count) {
        String text = new ChatText(new SplitMixRandom(5), ChatText.Script.ENGLISH).characters(count);

        assertThat(text).hasSize(count);
        assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSize(count);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 501, 502, 10_000})
    void characters_mixed_areWellFormed(int count) {
        String text = new ChatText(new SplitMixRandom(5), ChatText.Script.MIXED).characters(count);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);

        assertThat(text.length()).isBetween(count, count + 1);
        assertThat(bytes.length).isGreaterThan(count);
        assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo(text);
    }
}
