package io.kvgate.core.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.random.SplitMixRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RetryPolicyTest {
    private static final SplitMixRandom RANDOM = new SplitMixRandom(3);

    @ParameterizedTest
    @CsvSource({
        "0, 50",
        "1, 75",
        "2, 112",
        "3, 168",
        "10, 2883",
        "15, 21894",
        "16, 30000",
        "1000, 30000",
        "2147483647, 30000"
    })
    void backoff_withoutJitter_growsToTheBound(int retry, long expectedMillis) {
        RetryPolicy policy = new RetryPolicy(5, 50, 30_000, 1.5, 0);
        assertThat(policy.backoffMillis(retry, RANDOM)).isEqualTo(expectedMillis);
    }

    @Test
    void backoff_withJitter_staysInItsShareAndUsesIt() {
        RetryPolicy policy = new RetryPolicy(5, 1_000, 30_000, 1, 0.2);
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int i = 0; i < 5_000; i++) {
            long pause = policy.backoffMillis(0, RANDOM);
            assertThat(pause).isBetween(800L, 1_200L);
            least = Math.min(least, pause);
            most = Math.max(most, pause);
        }
        assertThat(least).isLessThan(820);
        assertThat(most).isGreaterThan(1_180);
    }

    @Test
    void backoff_fullJitter_isNeverNegative() {
        RetryPolicy policy = new RetryPolicy(5, 1, Long.MAX_VALUE, 1_000, 1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(policy.backoffMillis(i % 9, RANDOM)).isNotNegative();
        }
    }

    @Test
    void backoff_sameSeed_samePauses() {
        assertThat(RetryPolicy.DEFAULT.backoffMillis(3, new SplitMixRandom(9)))
                .isEqualTo(RetryPolicy.DEFAULT.backoffMillis(3, new SplitMixRandom(9)));
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 500, 502, 503, 504})
    void isRetryable_listed_isTrue(int status) {
        assertThat(RetryPolicy.isRetryableStatus(status)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 204, 301, 400, 401, 404, 413, 422, 501, 505, 529})
    void isRetryable_others_isFalse(int status) {
        assertThat(RetryPolicy.isRetryableStatus(status)).isFalse();
    }

    @Test
    void values_bad_areRefusedByName() {
        assertThatThrownBy(() -> new RetryPolicy(0, 1, 1, 1, 0)).hasMessage("maxAttempts: 0 (expected: >= 1)");
        assertThatThrownBy(() -> new RetryPolicy(1, 0, 1, 1, 0)).hasMessageStartingWith("initialBackoffMillis: 0");
        assertThatThrownBy(() -> new RetryPolicy(1, 5, 4, 1, 0)).hasMessageStartingWith("maxBackoffMillis: 4");
        assertThatThrownBy(() -> new RetryPolicy(1, 1, 1, Double.NaN, 0)).hasMessageStartingWith("multiplier: NaN");
        assertThatThrownBy(() -> new RetryPolicy(1, 1, 1, 0.9, 0)).hasMessageStartingWith("multiplier: 0.9");
        assertThatThrownBy(() -> new RetryPolicy(1, 1, 1, 1, 1.1)).hasMessageStartingWith("jitterFactor: 1.1");
        assertThatThrownBy(() -> RetryPolicy.DEFAULT.backoffMillis(-1, RANDOM)).hasMessageStartingWith("retry: -1");
    }
}
