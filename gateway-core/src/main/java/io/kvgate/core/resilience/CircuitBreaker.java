package io.kvgate.core.resilience;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.time.Ticker;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests away from a worker that has failed several times in a row, and lets a few through later to see if it is back.
 *
 * <p>Threading: any thread, without locks. All state is one immutable {@link Phase}, swapped by compare-and-set.
 *
 * <p>What counts as a failure is the caller's to decide; the breaker sees only the verdicts of its permits.
 */
public final class CircuitBreaker {
    /*
     * Phases
     *
     *   CLOSED     --[failureThreshold failures in a row within the window]-->  OPEN
     *   OPEN       --[someone reads it after openFor]-->                        HALF_OPEN
     *   HALF_OPEN  --[successThreshold successes]-->                            CLOSED
     *   HALF_OPEN  --[one failure]-->                                           OPEN
     *
     * Each phase carries an epoch that grows with every change of state. A permit remembers the epoch it was given in, and its
     * verdict is dropped if the breaker has moved on: a slow request from before an outage proves nothing about the time after.
     *
     * CLOSED keeps the times of the failures since the last success, at most failureThreshold of them, because a count alone
     * can't tell which of them the window has left behind. A success swaps nothing while there are none, so the usual
     * path costs one volatile read and no write.
     *
     * HALF_OPEN admits as many probes at once as successes are still needed: enough to close it, and no crowd on a worker that
     * may be starting. A permit that is neither success nor failure gives its place back.
     */

    /** Numbered as the metric {@code smg_worker_cb_state} shows them. */
    public enum State {
        CLOSED(0),
        OPEN(1),
        HALF_OPEN(2);

        private final int number;

        State(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }
    }

    /**
     * Told of each change of state, once, outside any lock, on the thread that caused it. Two changes made by two threads may be
     * told in either order. Must not throw.
     */
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

    private static final AtomicReferenceFieldUpdater<CircuitBreaker, Phase> PHASE =
            AtomicReferenceFieldUpdater.newUpdater(CircuitBreaker.class, Phase.class, "phase");

    private static final long[] NO_FAILURES = new long[0];

    private static final Permit ALWAYS = new Permit() {
        @Override
        public void success() {}

        @Override
        public void failure() {}

        @Override
        public void ignore() {}
    };

    /**
     * @param epoch grows by one with each change of state
     * @param failureNanos CLOSED: when the failures in a row happened, oldest first. OPEN: those that opened it
     * @param openedNanos OPEN: since when
     * @param probes HALF_OPEN: permits out
     * @param successes HALF_OPEN: successes so far
     */
    @SuppressWarnings("ArrayRecordComponent") // never handed out, never changed
    private record Phase(State state, long epoch, long[] failureNanos, long openedNanos, int probes, int successes) {
        static Phase closed(long epoch) {
            return new Phase(State.CLOSED, epoch, NO_FAILURES, 0, 0, 0);
        }

        static Phase open(long epoch, long[] failureNanos, long nowNanos) {
            return new Phase(State.OPEN, epoch, failureNanos, nowNanos, 0, 0);
        }

        static Phase halfOpen(long epoch, int probes, int successes) {
            return new Phase(State.HALF_OPEN, epoch, NO_FAILURES, 0, probes, successes);
        }
    }

    private enum Verdict {
        SUCCESS,
        FAILURE,
        IGNORED
    }

    private final CircuitBreakerConfig config;
    private final long openForNanos;
    private final long windowNanos;
    private final Ticker ticker;
    private final Listener listener;

    private volatile Phase phase = Phase.closed(0);

    public CircuitBreaker(CircuitBreakerConfig config, Ticker ticker, Listener listener) {
        this.config = requireNonNull(config, "config");
        this.ticker = requireNonNull(ticker, "ticker");
        this.listener = requireNonNull(listener, "listener");
        openForNanos = Ticker.saturatedNanos(config.openFor());
        windowNanos = Ticker.saturatedNanos(config.window());
    }

    /** Whether {@link #tryAcquire} would have admitted at this moment; takes nothing. Cheap: called per candidate. */
    public boolean wouldAdmit() {
        Phase now = phase;
        return now.state == State.CLOSED || admits(current());
    }

    /** A permit, or null if the breaker is open or its half-open places are taken. */
    public @Nullable Permit tryAcquire() {
        if (!config.enabled()) {
            return ALWAYS;
        }
        while (true) {
            Phase now = current();
            if (!admits(now)) {
                return null;
            }
            if (now.state == State.CLOSED
                    || PHASE.compareAndSet(this, now, Phase.halfOpen(now.epoch, now.probes + 1, now.successes))) {
                return new Attempt(now.epoch);
            }
        }
    }

    public State state() {
        return current().state;
    }

    /**
     * Closed: failures since the last success, within the window. Open: the failures that opened it (1 if a probe did). Half-open:
     * 0.
     */
    public int consecutiveFailures() {
        Phase now = current();
        return now.state == State.CLOSED ? recent(now.failureNanos, ticker.nanos()).length : now.failureNanos.length;
    }

    /** Successes of a half-open breaker; 0 in any other state. */
    public int halfOpenSuccesses() {
        return current().successes;
    }

    /** Nanoseconds until an open breaker admits probes; 0 if it is not open. For {@code Retry-After}. */
    public long nanosUntilHalfOpen() {
        Phase now = current();
        return now.state == State.OPEN ? Math.max(0, openForNanos - (ticker.nanos() - now.openedNanos)) : 0;
    }

    private boolean admits(Phase now) {
        return now.state == State.CLOSED
                || (now.state == State.HALF_OPEN && now.probes < config.successThreshold() - now.successes);
    }

    /** The phase as it stands now: an open one that has waited long enough becomes half-open here. */
    private Phase current() {
        while (true) {
            Phase now = phase;
            if (now.state != State.OPEN || ticker.nanos() - now.openedNanos < openForNanos) {
                return now;
            }
            Phase next = Phase.halfOpen(now.epoch + 1, 0, 0);
            if (PHASE.compareAndSet(this, now, next)) {
                listener.onTransition(State.OPEN, State.HALF_OPEN);
                return next;
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very phase that was read means "no change"
    private void judge(long epoch, Verdict verdict) {
        while (true) {
            Phase now = phase;
            if (now.epoch != epoch) {
                return;
            }
            Phase next = now.state == State.CLOSED ? afterClosed(now, verdict) : afterProbe(now, verdict);
            if (next == now) {
                return;
            }
            if (PHASE.compareAndSet(this, now, next)) {
                if (next.state != now.state) {
                    listener.onTransition(now.state, next.state);
                }
                return;
            }
        }
    }

    private Phase afterClosed(Phase now, Verdict verdict) {
        return switch (verdict) {
            case IGNORED -> now;
            case SUCCESS -> now.failureNanos.length == 0 ? now : Phase.closed(now.epoch);
            case FAILURE -> {
                long nowNanos = ticker.nanos();
                long[] kept = recent(now.failureNanos, nowNanos);
                long[] failures = Arrays.copyOf(kept, kept.length + 1);
                failures[kept.length] = nowNanos;
                yield failures.length >= config.failureThreshold()
                        ? Phase.open(now.epoch + 1, failures, nowNanos)
                        : new Phase(State.CLOSED, now.epoch, failures, 0, 0, 0);
            }
        };
    }

    private Phase afterProbe(Phase now, Verdict verdict) {
        return switch (verdict) {
            case IGNORED -> Phase.halfOpen(now.epoch, now.probes - 1, now.successes);
            case SUCCESS ->
                now.successes + 1 >= config.successThreshold()
                        ? Phase.closed(now.epoch + 1)
                        : Phase.halfOpen(now.epoch, now.probes - 1, now.successes + 1);
            case FAILURE -> {
                long nowNanos = ticker.nanos();
                yield Phase.open(now.epoch + 1, new long[] {nowNanos}, nowNanos);
            }
        };
    }

    /** The failures that the window still holds; the same array if that is all. */
    private long[] recent(long[] failureNanos, long nowNanos) {
        int from = 0;
        while (from < failureNanos.length && nowNanos - failureNanos[from] > windowNanos) {
            from++;
        }
        return from == 0 ? failureNanos : Arrays.copyOfRange(failureNanos, from, failureNanos.length);
    }

    /** The value says whether it has been judged. One object per request, so it is the flag itself. */
    private final class Attempt extends AtomicBoolean implements Permit {
        private final long epoch;

        Attempt(long epoch) {
            this.epoch = epoch;
        }

        @Override
        public void success() {
            decide(Verdict.SUCCESS);
        }

        @Override
        public void failure() {
            decide(Verdict.FAILURE);
        }

        @Override
        public void ignore() {
            decide(Verdict.IGNORED);
        }

        private void decide(Verdict verdict) {
            if (compareAndSet(false, true)) {
                judge(epoch, verdict);
            }
        }
    }
}
