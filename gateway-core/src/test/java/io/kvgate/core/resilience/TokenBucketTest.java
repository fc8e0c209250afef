package io.kvgate.core.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.time.FakeTicker;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class TokenBucketTest {
    private final FakeTicker ticker = new FakeTicker();

    private int takeAll(TokenBucket bucket, int atMost) {
        int taken = 0;
        while (taken < atMost && bucket.tryAcquire() == 0) {
            taken++;
        }
        return taken;
    }

    @Test
    void tryAcquire_new_isFull() {
        assertThat(takeAll(new TokenBucket(10, 5, ticker), 100)).isEqualTo(5);
    }

    @Test
    void tryAcquire_empty_tellsWhenTheNextComes() {
        TokenBucket bucket = new TokenBucket(10, 1, ticker);
        assertThat(bucket.tryAcquire()).isZero();
        assertThat(bucket.tryAcquire()).isEqualTo(Duration.ofMillis(100).toNanos());
        ticker.advanceMillis(40);
        long waitNanos = bucket.tryAcquire();
        assertThat(waitNanos).isEqualTo(Duration.ofMillis(60).toNanos());
        ticker.advanceNanos(waitNanos - 1);
        assertThat(bucket.tryAcquire()).isEqualTo(1);
        ticker.advanceNanos(1);
        assertThat(bucket.tryAcquire()).isZero();
    }

    @Test
    void tryAcquire_afterALongRest_holdsNoMoreThanTheBurst() {
        TokenBucket bucket = new TokenBucket(10, 5, ticker);
        takeAll(bucket, 100);
        ticker.advance(Duration.ofDays(30));
        assertThat(takeAll(bucket, 100)).isEqualTo(5);
    }

    @Test
    void tryAcquire_oddRate_losesNothingOverTime() {
        TokenBucket bucket = new TokenBucket(3, 1, ticker);
        int taken = 0;
        for (int i = 0; i < 100_000; i++) {
            ticker.advanceMillis(1);
            taken += bucket.tryAcquire() == 0 ? 1 : 0;
        }
        // 100 s at 3 per second; a poll each millisecond may miss up to 1 ms per token.
        assertThat(taken).isBetween(299, 301);
    }

    @Test
    void tryAcquire_rateBelowOne_waitsForSeconds() {
        TokenBucket bucket = new TokenBucket(0.1, 1, ticker);
        bucket.tryAcquire();
        assertThat(bucket.tryAcquire()).isEqualTo(Duration.ofSeconds(10).toNanos());
    }

    @Test
    void tryAcquire_extremes_doNotOverflow() {
        TokenBucket slow = new TokenBucket(1e-300, 1e300, ticker);
        assertThat(slow.tryAcquire()).isZero();
        assertThat(slow.tryAcquire()).isPositive();
        TokenBucket fast = new TokenBucket(1e300, 1e300, ticker);
        assertThat(takeAll(fast, 1_000)).isEqualTo(1_000);
        ticker.advance(Duration.ofDays(3_650));
        assertThat(takeAll(fast, 1_000)).isEqualTo(1_000);
    }

    @Test
    void tryAcquire_besideASimpleModel_agrees() {
        long seed = 20_261_130L;
        Random random = new Random(seed);
        long nanosPerToken = 20_000_000;
        TokenBucket bucket = new TokenBucket(50, 4, ticker);
        long levelNanos = 4 * nanosPerToken;
        for (int step = 0; step < 20_000; step++) {
            long pause = random.nextLong(30_000_000);
            ticker.advanceNanos(pause);
            levelNanos = Math.min(4 * nanosPerToken, levelNanos + pause);
            long expected = Math.max(0, nanosPerToken - levelNanos);
            assertThat(bucket.tryAcquire()).as("seed %d, step %d", seed, step).isEqualTo(expected);
            if (expected == 0) {
                levelNanos -= nanosPerToken;
            }
        }
    }

    @Test
    void tryAcquire_manyThreads_givesExactlyTheBurst() throws InterruptedException {
        TokenBucket bucket = new TokenBucket(1, 10_000, ticker);
        AtomicInteger taken = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(4);
        for (int t = 0; t < 4; t++) {
            new Thread(() -> {
                        taken.addAndGet(takeAll(bucket, 10_000));
                        done.countDown();
                    })
                    .start();
        }
        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(taken).hasValue(10_000);
    }

    @Test
    void values_bad_areRefusedByName() {
        assertThatThrownBy(() -> new TokenBucket(0, 1, ticker)).hasMessageStartingWith("tokensPerSecond: 0.0");
        assertThatThrownBy(() -> new TokenBucket(Double.NaN, 1, ticker)).hasMessageStartingWith("tokensPerSecond: NaN");
        assertThatThrownBy(() -> new TokenBucket(1, 0.5, ticker)).hasMessageStartingWith("burst: 0.5");
    }
}
