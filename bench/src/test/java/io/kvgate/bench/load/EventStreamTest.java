package io.kvgate.bench.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EventStreamTest {
    private static final String ROLE =
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
    private static final String TOKEN = "data: {\"choices\":[{\"delta\":{\"content\":\"wörd\"}}]}\n\n";
    private static final String USAGE = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":30,\"completion_tokens\":2,"
            + "\"prompt_tokens_details\":{\"cached_tokens\":16}}}\r\n\r\n";
    private static final String DONE = "data: [DONE]\n\n";

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 50, 10_000})
    void accept_inPiecesOfAnySize_readsTheSame(int size) {
        EventStream stream = new EventStream();
        List<Integer> firstTokens = feed(stream, ROLE + TOKEN + TOKEN + USAGE + DONE, size);

        assertThat(firstTokens).hasSize(1);
        assertThat(stream.events()).isEqualTo(4);
        assertThat(stream.complete()).isTrue();
        assertThat(stream.tokens()).isEqualTo(new TokenCounts(30, 16, 2));
    }

    @Test
    void accept_emptyContent_isNoFirstToken() {
        EventStream stream = new EventStream();

        assertThat(stream.accept(bytes(ROLE))).isFalse();
        assertThat(stream.accept(bytes(TOKEN))).isTrue();
        assertThat(stream.accept(bytes(TOKEN))).isFalse();
    }

    @Test
    void accept_breaksOff_isNotComplete() {
        EventStream stream = new EventStream();
        feed(stream, ROLE + TOKEN + "data: [DO", 64);

        assertThat(stream.complete()).isFalse();
        assertThat(stream.tokens()).isNull();
    }

    @Test
    void accept_notJson_isAnEventAndNoToken() {
        EventStream stream = new EventStream();
        boolean first = stream.accept(bytes(": comment\nevent: error\ndata: oops\n\n"));

        assertThat(first).isFalse();
        assertThat(stream.events()).isEqualTo(1);
    }

    private static List<Integer> feed(EventStream stream, String text, int size) {
        byte[] all = text.getBytes(UTF_8);
        List<Integer> firstTokens = new ArrayList<>();
        for (int at = 0; at < all.length; at += size) {
            if (stream.accept(ByteBuffer.wrap(all, at, Math.min(size, all.length - at)))) {
                firstTokens.add(at);
            }
        }
        return firstTokens;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }
}
