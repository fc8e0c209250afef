package io.kvgate.core.request;

import io.kvgate.core.error.ErrorCode;

/** How a request ended; each request has exactly one. */
public sealed interface RequestOutcome {
    /** The worker's answer reached the client whole, whatever its status. */
    record Completed(int status) implements RequestOutcome {}

    /** The gateway answered with an error of its own, or broke a begun stream off with one. */
    record Failed(ErrorCode code) implements RequestOutcome {}

    /** The client left first. */
    record ClientAborted(Phase phase) implements RequestOutcome {}

    /** Where a request was when its client left. */
    enum Phase {
        QUEUED,
        BODY,
        CONNECT,
        HEAD,
        STREAM,
        BACKOFF
    }
}
