package io.kvgate.core.resilience;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.resilience.CircuitBreaker.Permit;
import io.kvgate.core.resilience.CircuitBreaker.State;
import io.kvgate.core.time.FakeTicker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The breaker beside a plain model of its rules, and under threads. */
final class CircuitBreakerModelTest {
    private static final long OPEN_FOR_MILLIS = 1_000;
    private static final long WINDOW_MILLIS = 3_000;
    private static final int FAILURE_THRESHOLD = 3;
    private static final int SUCCESS_THRESHOLD = 2;
    private static final CircuitBreakerConfig CONFIG = new CircuitBreakerConfig(
            FAILURE_THRESHOLD,
            SUCCESS_THRESHOLD,
            Duration.ofMillis(OPEN_FOR_MILLIS),
            Duration.ofMillis(WINDOW_MILLIS),
            true);

    /** The rules, written as plainly as can be; one thread, mutable, milliseconds. */
    private static final class Model {
        State state = State.CLOSED;
        int generation;
        long nowMillis;
        long openedMillis;
        int probes;
        int successes;
        final Deque<Long> failures = new ArrayDeque<>();

        void refresh() {
            if (state == State.OPEN && nowMillis - openedMillis >= OPEN_FOR_MILLIS) {
                move(State.HALF_OPEN);
            }
        }

        private void move(State next) {
            state = next;
            generation++;
            probes = 0;
            successes = 0;
            openedMillis = nowMillis;
            failures.clear();
        }

        /** The generation of the permit, or −1. */
        int acquire() {
            refresh();
            if (state == State.OPEN || (state == State.HALF_OPEN && probes >= SUCCESS_THRESHOLD - successes)) {
                return -1;
            }
            if (state == State.HALF_OPEN) {
                probes++;
            }
            return generation;
        }

        void judge(int permit, int verdict) {
            if (permit != generation) {
                return;
            }
            if (state == State.HALF_OPEN) {
                probes--;
                if (verdict == 1) {
                    move(State.OPEN);
                } else if (verdict == 0 && ++successes == SUCCESS_THRESHOLD) {
                    move(State.CLOSED);
                }
            } else if (verdict == 0) {
                failures.clear();
            } else if (verdict == 1) {
                failures.removeIf(at -> nowMillis - at > WINDOW_MILLIS);
                failures.add(nowMillis);
                if (failures.size() == FAILURE_THRESHOLD) {
                    move(State.OPEN);
                }
            }
        }
    }

    private record Outstanding(Permit real, int ofModel) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anyHistory_agreesWithTheModel(long seed) {
        Random random = new Random(seed);
        FakeTicker ticker = new FakeTicker();
        Model model = new Model();
        List<State> told = new ArrayList<>();
        CircuitBreaker breaker = new CircuitBreaker(CONFIG, ticker, (from, to) -> told.add(to));
        List<Outstanding> outstanding = new ArrayList<>();
        int moves = 0;
        for (int step = 0; step < 20_000; step++) {
            int dice = random.nextInt(10);
            if (dice < 4) {
                int ofModel = model.acquire();
                assertThat(breaker.wouldAdmit())
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(ofModel >= 0);
                Permit permit = breaker.tryAcquire();
                assertThat(permit != null).as("seed %d, step %d", seed, step).isEqualTo(ofModel >= 0);
                if (permit != null) {
                    outstanding.add(new Outstanding(permit, ofModel));
                }
            } else if (dice < 9 && !outstanding.isEmpty()) {
                Outstanding one = outstanding.remove(random.nextInt(outstanding.size()));
                int verdict = random.nextInt(5) < 3 ? 1 : random.nextInt(3);
                judge(one.real, verdict);
                model.judge(one.ofModel, verdict);
            } else {
                long pause = random.nextInt(400);
                ticker.advanceMillis(pause);
                model.nowMillis += pause;
            }
            model.refresh();
            assertThat(breaker.state()).as("seed %d, step %d", seed, step).isEqualTo(model.state);
            assertThat(breaker.halfOpenSuccesses())
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(model.successes);
            moves = model.generation;
        }
        assertThat(moves).isGreaterThan(50);
        assertThat(told).hasSize(moves);
    }

    private static void judge(Permit permit, int verdict) {
        switch (verdict) {
            case 0 -> permit.success();
            case 1 -> permit.failure();
            default -> permit.ignore();
        }
    }

    @Test
    void halfOpen_manyThreads_neverAdmitsMoreThanNeeded() throws InterruptedException {
        FakeTicker ticker = new FakeTicker();
        AtomicInteger transitions = new AtomicInteger();
        CircuitBreaker breaker = new CircuitBreaker(CONFIG, ticker, (from, to) -> transitions.incrementAndGet());
        for (int i = 0; i < FAILURE_THRESHOLD; i++) {
            requireNonNull(breaker.tryAcquire()).failure();
        }
        ticker.advanceMillis(OPEN_FOR_MILLIS);
        AtomicInteger out = new AtomicInteger();
        AtomicInteger mostOut = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(4);
        for (int t = 0; t < 4; t++) {
            SplittableRandom random = new SplittableRandom(t);
            new Thread(() -> {
                        for (int i = 0; i < 20_000; i++) {
                            Permit permit = breaker.tryAcquire();
                            if (permit != null) {
                                mostOut.accumulateAndGet(out.incrementAndGet(), Math::max);
                                if (random.nextBoolean()) {
                                    Thread.onSpinWait();
                                }
                                out.decrementAndGet();
                                permit.ignore();
                            }
                        }
                        done.countDown();
                    })
                    .start();
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(mostOut.get()).isBetween(1, SUCCESS_THRESHOLD);
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        assertThat(transitions).hasValue(2);
        requireNonNull(breaker.tryAcquire()).success();
        requireNonNull(breaker.tryAcquire()).success();
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void closed_failuresFromManyThreads_openOnce() throws InterruptedException {
        AtomicInteger opened = new AtomicInteger();
        CircuitBreaker breaker = new CircuitBreaker(
                new CircuitBreakerConfig(100, 1, Duration.ofHours(1), Duration.ofHours(1), true),
                new FakeTicker(),
                (from, to) -> opened.incrementAndGet());
        CountDownLatch done = new CountDownLatch(4);
        AtomicInteger admitted = new AtomicInteger();
        for (int t = 0; t < 4; t++) {
            new Thread(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            Permit permit = breaker.tryAcquire();
                            if (permit != null) {
                                admitted.incrementAndGet();
                                permit.failure();
                            }
                        }
                        done.countDown();
                    })
                    .start();
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(opened).hasValue(1);
        assertThat(admitted.get()).isBetween(100, 103);
    }
}
