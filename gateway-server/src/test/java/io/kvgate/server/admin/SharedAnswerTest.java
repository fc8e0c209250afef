package io.kvgate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.time.FakeTicker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedAnswerTest {
    private final FakeTicker ticker = new FakeTicker();
    private final AtomicInteger asked = new AtomicInteger();
    private final CompletableFuture<String> source = new CompletableFuture<>();

    private CompletableFuture<String> question() {
        asked.incrementAndGet();
        return source;
    }

    @Test
    void get_whileAsking_shares_andCallersCannotSpoilIt() {
        SharedAnswer<String> shared = new SharedAnswer<>(ticker, Duration.ZERO);

        CompletableFuture<String> first = shared.get(0, this::question);
        CompletableFuture<String> second = shared.get(0, this::question);
        first.cancel(true);
        source.complete("x");

        assertThat(second.join()).isEqualTo("x");
        assertThat(asked).hasValue(1);
    }

    @Test
    void get_kept_asksAgainWhenOldOrOtherVersion() {
        SharedAnswer<String> shared = new SharedAnswer<>(ticker, Duration.ofSeconds(2));
        source.complete("x");

        assertThat(shared.get(1, this::question)).isCompletedWithValue("x");
        assertThat(shared.get(1, this::question)).isCompletedWithValue("x");
        assertThat(asked).hasValue(1);
        assertThat(shared.get(2, this::question)).isCompletedWithValue("x");
        assertThat(asked).hasValue(2);
        ticker.advance(Duration.ofSeconds(2));
        assertThat(shared.get(2, this::question)).isCompletedWithValue("x");
        assertThat(asked).hasValue(3);
    }

    @Test
    void get_failure_isNotKept() {
        SharedAnswer<String> shared = new SharedAnswer<>(ticker, Duration.ofSeconds(2));

        assertThat(shared.get(1, () -> {
                    throw new IllegalStateException("no");
                }))
                .isCompletedExceptionally();
        source.complete("x");

        assertThat(shared.get(1, this::question)).isCompletedWithValue("x");
    }
}
