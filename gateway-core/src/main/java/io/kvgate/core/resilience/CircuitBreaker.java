package io.kvgate.core.resilience;

import io.kvgate.core.time.Ticker;
import org.jspecify.annotations.Nullable;

/** Skeleton: API fixed, body to come. */
public final class CircuitBreaker {
    /** Numbered as the metric {@code smg_worker_cb_state} shows them. */
    public enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    /** Told of each change of state, outside any lock. */
    @FunctionalInterface
    public interface Listener {
        void onTransition(State from, State to);
    }

    /** One admitted attempt. The first call decides; later calls do nothing. */
    public interface Permit {
        void success();

        void failure();

        /** Judges nothing, and gives a half-open probe's place back. */
        void ignore();
    }

    public CircuitBreaker(CircuitBreakerConfig config, Ticker ticker, Listener listener) {
        throw new UnsupportedOperationException();
    }

    /** Whether {@link #tryAcquire} would have admitted at this moment; takes nothing. Cheap: called per candidate. */
    public boolean wouldAdmit() {
        throw new UnsupportedOperationException();
    }

    /** A permit, or null if the breaker is open or its half-open places are taken. */
    public @Nullable Permit tryAcquire() {
        throw new UnsupportedOperationException();
    }

    public State state() {
        throw new UnsupportedOperationException();
    }

    public int consecutiveFailures() {
        throw new UnsupportedOperationException();
    }

    public int halfOpenSuccesses() {
        throw new UnsupportedOperationException();
    }

    /** Nanoseconds until an open breaker admits probes; 0 if it is not open. For {@code Retry-After}. */
    public long nanosUntilHalfOpen() {
        throw new UnsupportedOperationException();
    }
}
