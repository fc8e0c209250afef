package io.kvgate.core.resilience;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.resilience.CircuitBreaker.Permit;
import io.kvgate.core.resilience.CircuitBreaker.State;
import io.kvgate.core.time.FakeTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CircuitBreakerTest {
    private static final Duration OPEN_FOR = Duration.ofSeconds(30);
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final FakeTicker ticker = new FakeTicker();
    private final List<String> transitions = new ArrayList<>();
    private final CircuitBreaker breaker = breaker(new CircuitBreakerConfig(3, 2, OPEN_FOR, WINDOW, true));

    private CircuitBreaker breaker(CircuitBreakerConfig config) {
        return new CircuitBreaker(config, ticker, (from, to) -> transitions.add(from + ">" + to));
    }

    private Permit permit() {
        return requireNonNull(breaker.tryAcquire());
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            permit().failure();
        }
    }

    private void open() {
        fail(3);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    private void halfOpen() {
        open();
        ticker.advance(OPEN_FOR);
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
    }

    @Test
    void closed_oneFailureLess_staysClosed() {
        fail(2);
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(breaker.consecutiveFailures()).isEqualTo(2);
        assertThat(breaker.wouldAdmit()).isTrue();
        assertThat(transitions).isEmpty();
    }

    @Test
    void closed_failuresInARow_open() {
        fail(3);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.wouldAdmit()).isFalse();
        assertThat(breaker.tryAcquire()).isNull();
        assertThat(breaker.consecutiveFailures()).isEqualTo(3);
        assertThat(transitions).containsExactly("CLOSED>OPEN");
    }

    @Test
    void closed_successBetween_beginsAgain() {
        fail(2);
        permit().success();
        assertThat(breaker.consecutiveFailures()).isZero();
        fail(2);
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void closed_ignored_countsAsNothing() {
        fail(2);
        permit().ignore();
        assertThat(breaker.consecutiveFailures()).isEqualTo(2);
        fail(1);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void closed_failuresOlderThanTheWindow_noLongerCount() {
        fail(2);
        ticker.advance(WINDOW.plusNanos(1));
        assertThat(breaker.consecutiveFailures()).isZero();
        fail(2);
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        fail(1);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void closed_windowSlides_onlyRecentFailuresCount() {
        fail(1);
        ticker.advance(WINDOW.minusSeconds(1));
        fail(1);
        ticker.advance(Duration.ofSeconds(2));
        fail(1);
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(breaker.consecutiveFailures()).isEqualTo(2);
        fail(1);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void closed_failureAtTheWindowsEdge_stillCounts() {
        fail(2);
        ticker.advance(WINDOW);
        fail(1);
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void open_beforeTime_tellsHowLong() {
        open();
        ticker.advanceMillis(10_000);
        assertThat(breaker.nanosUntilHalfOpen())
                .isEqualTo(Duration.ofSeconds(20).toNanos());
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void open_timeIsUp_becomesHalfOpenOnRead() {
        open();
        ticker.advance(OPEN_FOR.minusNanos(1));
        assertThat(breaker.wouldAdmit()).isFalse();
        ticker.advanceNanos(1);
        assertThat(breaker.wouldAdmit()).isTrue();
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        assertThat(breaker.nanosUntilHalfOpen()).isZero();
        assertThat(breaker.consecutiveFailures()).isZero();
        assertThat(transitions).containsExactly("CLOSED>OPEN", "OPEN>HALF_OPEN");
    }

    @Test
    void open_lateOutcomes_changeNothing() {
        Permit lateSuccess = permit();
        Permit lateFailure = permit();
        open();
        ticker.advanceMillis(10_000);
        lateSuccess.success();
        lateFailure.failure();
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.nanosUntilHalfOpen())
                .isEqualTo(Duration.ofSeconds(20).toNanos());
    }

    @Test
    void halfOpen_asManyProbesAsSuccessesNeeded_noMore() {
        halfOpen();
        Permit first = permit();
        Permit second = permit();
        assertThat(breaker.wouldAdmit()).isFalse();
        assertThat(breaker.tryAcquire()).isNull();
        first.success();
        // One more success is needed, and one probe is out for it.
        assertThat(breaker.halfOpenSuccesses()).isEqualTo(1);
        assertThat(breaker.tryAcquire()).isNull();
        second.success();
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(breaker.halfOpenSuccesses()).isZero();
    }

    @Test
    void halfOpen_ignoredProbe_givesItsPlaceBack() {
        halfOpen();
        Permit first = permit();
        permit();
        assertThat(breaker.tryAcquire()).isNull();
        first.ignore();
        assertThat(breaker.wouldAdmit()).isTrue();
        assertThat(breaker.tryAcquire()).isNotNull();
        assertThat(breaker.tryAcquire()).isNull();
    }

    @Test
    void halfOpen_oneFailure_opensAgainForTheWholeTime() {
        halfOpen();
        permit().failure();
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(breaker.nanosUntilHalfOpen()).isEqualTo(OPEN_FOR.toNanos());
        assertThat(breaker.consecutiveFailures()).isEqualTo(1);
        assertThat(transitions).endsWith("OPEN>HALF_OPEN", "HALF_OPEN>OPEN");
    }

    @Test
    void halfOpen_outcomesFromBeforeTheOutage_changeNothing() {
        Permit oldSuccess = permit();
        Permit otherOldSuccess = permit();
        Permit oldFailure = permit();
        halfOpen();
        oldSuccess.success();
        otherOldSuccess.success();
        oldFailure.failure();
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        assertThat(breaker.halfOpenSuccesses()).isZero();
    }

    @Test
    void halfOpen_probeOfAnEarlierHalfOpen_changesNothing() {
        halfOpen();
        Permit slow = permit();
        permit().failure();
        ticker.advance(OPEN_FOR);
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
        permit();
        permit();
        slow.ignore();
        assertThat(breaker.tryAcquire()).isNull();
        slow.failure();
        assertThat(breaker.state()).isEqualTo(State.HALF_OPEN);
    }

    @Test
    void closedAgain_oldProbe_doesNotCount() {
        halfOpen();
        Permit probe = permit();
        permit().success();
        probe.success();
        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        fail(2);
        probe.success();
        assertThat(breaker.consecutiveFailures()).isEqualTo(2);
    }

    @Test
    void permit_judgedTwice_countsOnce() {
        Permit permit = permit();
        permit.failure();
        permit.failure();
        permit.success();
        assertThat(breaker.consecutiveFailures()).isEqualTo(1);
        halfOpenFrom(1);
        Permit probe = permit();
        probe.success();
        probe.success();
        assertThat(breaker.halfOpenSuccesses()).isEqualTo(1);
    }

    private void halfOpenFrom(int failuresSoFar) {
        fail(3 - failuresSoFar);
        ticker.advance(OPEN_FOR);
    }

    @Test
    void disabled_manyFailures_neverOpens() {
        CircuitBreaker disabled = breaker(new CircuitBreakerConfig(1, 1, OPEN_FOR, WINDOW, false));
        for (int i = 0; i < 100; i++) {
            requireNonNull(disabled.tryAcquire()).failure();
        }
        assertThat(disabled.state()).isEqualTo(State.CLOSED);
        assertThat(disabled.wouldAdmit()).isTrue();
        assertThat(disabled.consecutiveFailures()).isZero();
        assertThat(transitions).isEmpty();
    }

    @Test
    void thresholdOfOne_oneFailure_opens() {
        CircuitBreaker touchy = breaker(new CircuitBreakerConfig(1, 1, OPEN_FOR, WINDOW, true));
        requireNonNull(touchy.tryAcquire()).failure();
        assertThat(touchy.tryAcquire()).isNull();
        ticker.advance(OPEN_FOR);
        requireNonNull(touchy.tryAcquire()).success();
        assertThat(touchy.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void veryLongTimes_doNotOverflow() {
        Duration ages = Duration.ofSeconds(Long.MAX_VALUE);
        CircuitBreaker patient = breaker(new CircuitBreakerConfig(1, 1, ages, ages, true));
        requireNonNull(patient.tryAcquire()).failure();
        ticker.advance(Duration.ofDays(1_000));
        assertThat(patient.state()).isEqualTo(State.OPEN);
        assertThat(patient.nanosUntilHalfOpen()).isPositive();
    }

    @Test
    void config_badValues_areRefusedByName() {
        assertThatThrownBy(() -> new CircuitBreakerConfig(0, 1, OPEN_FOR, WINDOW, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("failureThreshold: 0 (expected: >= 1)");
        assertThatThrownBy(() -> new CircuitBreakerConfig(1, 0, OPEN_FOR, WINDOW, true))
                .hasMessageStartingWith("successThreshold: 0");
        assertThatThrownBy(() -> new CircuitBreakerConfig(1, 1, Duration.ZERO, WINDOW, true))
                .hasMessageStartingWith("openFor: ");
        assertThatThrownBy(() -> new CircuitBreakerConfig(1, 1, OPEN_FOR, Duration.ofSeconds(-1), true))
                .hasMessageStartingWith("window: ");
    }
}
