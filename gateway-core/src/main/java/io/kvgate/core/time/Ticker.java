package io.kvgate.core.time;

import java.time.Duration;

/** Elapsed time in nanoseconds; the only clock that deciding code may read. */
@FunctionalInterface
public interface Ticker {
    /** Nanoseconds since an arbitrary origin; only differences have a meaning. Never goes back. */
    long nanos();

    /** The machine's monotonic clock. */
    static Ticker system() {
        return System::nanoTime;
    }

    /** The length in nanoseconds, or {@link Long#MAX_VALUE} (292 years) for anything longer. */
    static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
