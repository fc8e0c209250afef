package io.kvgate.core.worker;

import io.kvgate.core.resilience.CircuitBreaker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Skeleton: API fixed, body to come. One replica (or one data-parallel rank of it). */
public final class Worker {
    Worker() {
        throw new UnsupportedOperationException();
    }

    public WorkerId id() {
        throw new UnsupportedOperationException();
    }

    public WorkerSpec spec() {
        throw new UnsupportedOperationException();
    }

    public WorkerMetadata metadata() {
        throw new UnsupportedOperationException();
    }

    /** Models it serves, main one first: the spec's override, else the metadata's, else {@code unknown}. Never empty. */
    public List<String> modelIds() {
        throw new UnsupportedOperationException();
    }

    public WorkerStatus status() {
        throw new UnsupportedOperationException();
    }

    /** Why it has its status, in words for the API; empty if there is nothing to say. */
    public String statusReason() {
        throw new UnsupportedOperationException();
    }

    public CircuitBreaker breaker() {
        throw new UnsupportedOperationException();
    }

    /** Requests from choice to end of body. Never negative. */
    public int inFlight() {
        throw new UnsupportedOperationException();
    }

    /** The engine's last word on its load; null if the last poll failed or there was none. */
    public @Nullable WorkerLoad load() {
        throw new UnsupportedOperationException();
    }

    public void reportLoad(@Nullable WorkerLoad load) {
        throw new UnsupportedOperationException();
    }

    /** READY and its breaker would admit. Cheap: called per candidate. */
    public boolean available() {
        throw new UnsupportedOperationException();
    }

    /** Takes the breaker's permit and counts the request in one step; null if it is not available (any more). */
    public @Nullable LoadGuard tryAcquire() {
        throw new UnsupportedOperationException();
    }
}
