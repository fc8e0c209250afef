package io.kvgate.core.worker;

/**
 * One request's stay at a worker: counted in {@link Worker#inFlight} and admitted by its breaker, both from the choice on. Of the
 * three verdicts the first counts; after {@link #close} none does.
 *
 * <p>Threading: made and used on one event loop.
 */
public interface LoadGuard {
    Worker worker();

    /** The worker did well, or what went wrong was the client's (any status below 500, and 429). */
    void succeeded();

    /** Transport error, timeout or 5xx. */
    void failed();

    /** Says nothing of the worker: the client left, or another leg failed. The default when closed unjudged. */
    void ignored();

    /** Ends the stay: in-flight falls by one, an unjudged permit is given back. Later calls do nothing. */
    void close();
}
