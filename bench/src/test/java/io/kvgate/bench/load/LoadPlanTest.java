package io.kvgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.bench.workload.Arrivals;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LoadPlanTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://example.com/v1/chat/completions",
                "http://10.0.0.1:8000/",
                "http://127.0.0.1.example.com/",
                "http://localhost.example.com/",
                "http://0.0.0.0:8000/",
                "http://[::2]/",
                "http://user@example.com@127.0.0.1.nip.io/",
                "https://127.0.0.1/",
                "/v1/chat/completions"
            })
    void target_notHttpOnLoopback_isRefused(String url) {
        assertThatThrownBy(() -> plan(url, 1, SECOND, SECOND)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.1:8000/x", "http://localhost:8000/x", "http://[::1]:8000/x"})
    void target_onLoopback_isTaken(String url) {
        assertThat(plan(url, 1, SECOND, SECOND).target()).isEqualTo(URI.create(url));
    }

    @Test
    void bounds_outOfRange_areRefused() {
        String url = "http://127.0.0.1/";
        assertThatThrownBy(() -> plan(url, 0, SECOND, SECOND)).hasMessageContaining("maxRequests: 0");
        assertThatThrownBy(() -> plan(url, 100_000_000, SECOND, SECOND)).hasMessageContaining("maxRequests");
        assertThatThrownBy(() -> plan(url, 1, Duration.ZERO, SECOND)).hasMessageContaining("maxDuration");
        assertThatThrownBy(() -> plan(url, 1, Duration.ofHours(2), SECOND)).hasMessageContaining("maxDuration");
        assertThatThrownBy(() -> plan(url, 1, SECOND, Duration.ofHours(1))).hasMessageContaining("requestTimeout");
        assertThatThrownBy(() -> new LoadPlan.ClosedLoop(0)).hasMessageContaining("requests at a time: 0");
        assertThatThrownBy(() -> new LoadPlan.OpenLoop(Arrivals.fixed(1), 1_000_000))
                .hasMessageContaining("requests at a time");
    }

    private static LoadPlan plan(String url, int requests, Duration duration, Duration timeout) {
        return new LoadPlan(URI.create(url), new LoadPlan.ClosedLoop(1), requests, duration, timeout);
    }
}
