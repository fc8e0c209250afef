package io.kvgate.core.time;

/** Elapsed time in nanoseconds; the only clock that deciding code may read. */
@FunctionalInterface
public interface Ticker {
    /** Nanoseconds since an arbitrary origin; only differences have a meaning. Never goes back. */
    long nanos();

    /** The machine's monotonic clock. */
    static Ticker system() {
        return System::nanoTime;
    }
}
