package io.kvgate.core.resilience;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cap on requests under way, with a bounded queue in order of arrival.
 *
 * <p>Threading: any thread. While nobody waits, taking and giving back a permit is one compare-and-set; queueing takes a short
 * lock. Callbacks are called with no lock held.
 */
public final class ConcurrencyLimiter {
    /*
     * One number holds both counts: waiting in the upper half, permits in use in the lower one.
     *
     *   waiting == 0:  anyone changes it by compare-and-set. An arrival takes a permit if one is free, an end gives it back.
     *   waiting  > 0:  only the holder of the lock changes it. All permits are in use, for an end does not lower the count
     *                  but passes its permit to the head of the queue, so no later arrival can overtake.
     *
     * The step from 0 to 1 waiting is made under the lock by a compare-and-set against a value with no permit free; a permit given
     * back in between changes the number, so the step fails and the arrival looks again. The queue holds exactly the
     * waiters that the number counts.
     */

    /** What an arrival got. */
    public enum Admission {
        ADMITTED,
        QUEUED,
        REJECTED
    }

    /** One arrival. {@link #release} is due exactly once from every end: admitted and finished, or queued and given up. */
    public interface Ticket {
        /** Returns the permit, or leaves the queue; later calls do nothing. */
        void release();
    }

    /**
     * Called once, from the thread that freed the permit: it must only hand over to its own event loop. May come before {@link
     * #acquire} has returned, and after a release that crossed it. If it throws, the permit goes to the next waiter.
     */
    @FunctionalInterface
    public interface OnAdmitted {
        void admitted();
    }

    /** The result of an arrival. Its ticket must be released also when REJECTED (it then does nothing). */
    public record Arrival(Admission admission, Ticket ticket) {}

    private static final Logger log = LoggerFactory.getLogger(ConcurrencyLimiter.class);
    private static final Arrival REJECTION = new Arrival(Admission.REJECTED, () -> {});
    private static final long ONE_WAITING = 1L << 32;

    private final int maxConcurrent;
    private final int queueSize;
    private final AtomicLong counts = new AtomicLong();
    private final Object lock = new Object();

    /** In order of arrival; one in the middle can leave at no cost. */
    @GuardedBy("lock")
    private final LinkedHashSet<Waiter> queue = new LinkedHashSet<>();

    /** Concurrent requests: at least 1; places in the queue: at least 0. */
    public ConcurrencyLimiter(int maxConcurrent, int queueSize) {
        if (maxConcurrent < 1) {
            throw new IllegalArgumentException("maxConcurrent: " + maxConcurrent + " (expected: >= 1)");
        }
        if (queueSize < 0) {
            throw new IllegalArgumentException("queueSize: " + queueSize + " (expected: >= 0)");
        }
        this.maxConcurrent = maxConcurrent;
        this.queueSize = queueSize;
    }

    /** Takes a permit, or a place in the queue, in which case {@code onAdmitted} is called later unless released first. */
    public Arrival acquire(OnAdmitted onAdmitted) {
        requireNonNull(onAdmitted, "onAdmitted");
        while (true) {
            long now = counts.get();
            if (hasFreePermit(now)) {
                if (counts.compareAndSet(now, now + 1)) {
                    return new Arrival(Admission.ADMITTED, new PermitTicket());
                }
            } else if (waitingIn(now) >= queueSize) {
                return REJECTION;
            } else {
                Arrival queued = enqueue(onAdmitted);
                if (queued != null) {
                    return queued;
                }
            }
        }
    }

    /** Permits taken; never above the cap. */
    public int inUse() {
        return inUseIn(counts.get());
    }

    /** Places taken in the queue. */
    public int waiting() {
        return waitingIn(counts.get());
    }

    /** Null if things have changed since the caller looked: it must look again. */
    private @Nullable Arrival enqueue(OnAdmitted onAdmitted) {
        synchronized (lock) {
            long now = counts.get();
            if (hasFreePermit(now) || waitingIn(now) >= queueSize || !counts.compareAndSet(now, now + ONE_WAITING)) {
                return null;
            }
            Waiter waiter = new Waiter(onAdmitted);
            queue.add(waiter);
            return new Arrival(Admission.QUEUED, waiter);
        }
    }

    private void releasePermit() {
        Waiter next = passOn();
        while (next != null) {
            try {
                next.onAdmitted.admitted();
                return;
            } catch (RuntimeException e) {
                // Its event loop is gone, most likely. The permit must not go with it.
                log.warn("A queued request could not be told of its permit; the next one gets it", e);
                next = next.markReleased() ? passOn() : null;
            }
        }
    }

    /** Gives the permit to the head of the queue and returns that one, or frees it and returns null. */
    private @Nullable Waiter passOn() {
        while (true) {
            long now = counts.get();
            if (waitingIn(now) == 0) {
                if (counts.compareAndSet(now, now - 1)) {
                    return null;
                }
                continue;
            }
            synchronized (lock) {
                Iterator<Waiter> waiters = queue.iterator();
                if (waiters.hasNext()) {
                    Waiter head = waiters.next();
                    waiters.remove();
                    counts.addAndGet(-ONE_WAITING);
                    return head;
                }
            }
        }
    }

    /** True if the waiter was still queued, and now is not. */
    private boolean leaveQueue(Waiter waiter) {
        synchronized (lock) {
            if (!queue.remove(waiter)) {
                return false;
            }
            counts.addAndGet(-ONE_WAITING);
            return true;
        }
    }

    private boolean hasFreePermit(long now) {
        return waitingIn(now) == 0 && inUseIn(now) < maxConcurrent;
    }

    private static int waitingIn(long counts) {
        return (int) (counts >>> 32);
    }

    private static int inUseIn(long counts) {
        return (int) counts;
    }

    /** A permit got at once. The value says whether it was given back. */
    private final class PermitTicket extends AtomicBoolean implements Ticket {
        @Override
        public void release() {
            if (compareAndSet(false, true)) {
                releasePermit();
            }
        }
    }

    /** A place in the queue, then perhaps a permit. */
    private final class Waiter implements Ticket {
        private final OnAdmitted onAdmitted;
        private final AtomicBoolean released = new AtomicBoolean();

        Waiter(OnAdmitted onAdmitted) {
            this.onAdmitted = onAdmitted;
        }

        @Override
        public void release() {
            if (markReleased() && !leaveQueue(this)) {
                releasePermit();
            }
        }

        boolean markReleased() {
            return released.compareAndSet(false, true);
        }
    }
}
