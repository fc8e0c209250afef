package io.kvgate.core.resilience;

/** Skeleton: API fixed, body to come. A cap on requests under way, with a bounded queue in order of arrival. */
public final class ConcurrencyLimiter {
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

    /** Called once, from the thread that freed the permit: it must only hand over to its own event loop. */
    @FunctionalInterface
    public interface OnAdmitted {
        void admitted();
    }

    /** Concurrent requests: at least 1; places in the queue: at least 0. */
    public ConcurrencyLimiter(int maxConcurrent, int queueSize) {
        throw new UnsupportedOperationException();
    }

    /** The result of an arrival. Its ticket must be released also when REJECTED (it then does nothing). */
    public record Arrival(Admission admission, Ticket ticket) {}

    /** Takes a permit, or a place in the queue, in which case {@code onAdmitted} is called later unless released first. */
    public Arrival acquire(OnAdmitted onAdmitted) {
        throw new UnsupportedOperationException();
    }

    public int inUse() {
        throw new UnsupportedOperationException();
    }

    public int waiting() {
        throw new UnsupportedOperationException();
    }
}
