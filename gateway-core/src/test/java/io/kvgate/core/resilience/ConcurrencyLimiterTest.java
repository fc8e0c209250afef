package io.kvgate.core.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.resilience.ConcurrencyLimiter.Admission;
import io.kvgate.core.resilience.ConcurrencyLimiter.Arrival;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ConcurrencyLimiterTest {
    private final List<String> admitted = new ArrayList<>();

    private Arrival arrive(ConcurrencyLimiter limiter, String name) {
        return limiter.acquire(() -> admitted.add(name));
    }

    @Test
    void acquire_belowTheCap_isAdmittedWithoutCallback() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(2, 0);
        assertThat(arrive(limiter, "a").admission()).isEqualTo(Admission.ADMITTED);
        assertThat(arrive(limiter, "b").admission()).isEqualTo(Admission.ADMITTED);
        assertThat(limiter.inUse()).isEqualTo(2);
        assertThat(admitted).isEmpty();
    }

    @Test
    void acquire_atTheCapWithoutQueue_isRejected() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(1, 0);
        Arrival first = arrive(limiter, "a");
        Arrival second = arrive(limiter, "b");
        assertThat(second.admission()).isEqualTo(Admission.REJECTED);
        second.ticket().release();
        second.ticket().release();
        assertThat(limiter.inUse()).isEqualTo(1);
        first.ticket().release();
        assertThat(limiter.inUse()).isZero();
        assertThat(arrive(limiter, "c").admission()).isEqualTo(Admission.ADMITTED);
    }

    @Test
    void acquire_queueFull_isRejected() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(1, 2);
        arrive(limiter, "a");
        assertThat(arrive(limiter, "b").admission()).isEqualTo(Admission.QUEUED);
        assertThat(arrive(limiter, "c").admission()).isEqualTo(Admission.QUEUED);
        assertThat(arrive(limiter, "d").admission()).isEqualTo(Admission.REJECTED);
        assertThat(limiter.waiting()).isEqualTo(2);
    }

    @Test
    void release_withWaiters_passesThePermitOnInOrder() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(1, 3);
        Arrival a = arrive(limiter, "a");
        Arrival b = arrive(limiter, "b");
        Arrival c = arrive(limiter, "c");
        a.ticket().release();
        assertThat(admitted).containsExactly("b");
        assertThat(limiter.inUse()).isEqualTo(1);
        assertThat(limiter.waiting()).isEqualTo(1);
        b.ticket().release();
        c.ticket().release();
        assertThat(admitted).containsExactly("b", "c");
        assertThat(limiter.inUse()).isZero();
        assertThat(limiter.waiting()).isZero();
    }

    @Test
    void release_whileQueued_givesThePlaceBack() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(1, 2);
        Arrival a = arrive(limiter, "a");
        Arrival b = arrive(limiter, "b");
        arrive(limiter, "c");
        b.ticket().release();
        assertThat(limiter.waiting()).isEqualTo(1);
        assertThat(arrive(limiter, "d").admission()).isEqualTo(Admission.QUEUED);
        a.ticket().release();
        assertThat(admitted).containsExactly("c");
        b.ticket().release();
        assertThat(limiter.inUse()).isEqualTo(1);
    }

    @Test
    void release_twice_countsOnce() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(2, 1);
        Arrival a = arrive(limiter, "a");
        Arrival b = arrive(limiter, "b");
        a.ticket().release();
        a.ticket().release();
        assertThat(limiter.inUse()).isEqualTo(1);
        b.ticket().release();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void release_twiceOfAQueuedOne_countsOnce() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(1, 2);
        Arrival a = arrive(limiter, "a");
        Arrival b = arrive(limiter, "b");
        arrive(limiter, "c");
        a.ticket().release();
        b.ticket().release();
        b.ticket().release();
        assertThat(admitted).containsExactly("b", "c");
        assertThat(limiter.inUse()).isEqualTo(1);
    }

    @Test
    void callback_thatThrows_losesNoPermit() {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(1, 3);
        Arrival a = arrive(limiter, "a");
        for (int i = 0; i < 2; i++) {
            limiter.acquire(() -> {
                throw new IllegalStateException("expected by the test");
            });
        }
        Arrival d = arrive(limiter, "d");
        a.ticket().release();
        assertThat(admitted).containsExactly("d");
        assertThat(limiter.inUse()).isEqualTo(1);
        d.ticket().release();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void values_bad_areRefusedByName() {
        assertThatThrownBy(() -> new ConcurrencyLimiter(0, 1)).hasMessage("maxConcurrent: 0 (expected: >= 1)");
        assertThatThrownBy(() -> new ConcurrencyLimiter(1, -1)).hasMessage("queueSize: -1 (expected: >= 0)");
    }
}
