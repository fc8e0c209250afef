package io.kvgate.bench.engine.fault;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One way in which the answer to an inference request goes wrong. Times are real, not sped up. */
public sealed interface Fault {

    /** The request is taken and never answered; it is not computed either. */
    record Hang() implements Fault {}

    /** The head of the answer comes this much later. */
    record SlowHead(Duration delay) implements Fault {}

    /** Each part of the answer after the head waits this long behind the one before. */
    record SlowChunks(Duration delay) implements Fault {}

    /** The connection is reset once the body of the request has arrived. */
    record ResetBeforeHead() implements Fault {}

    /**
     * The connection is reset after this many events of a stream, or in the middle of a document.
     *
     * @param afterChunks events that still arrive; 0 resets after the head
     */
    record ResetMidStream(int afterChunks) implements Fault {
        public ResetMidStream {
            notNegative(afterChunks);
        }
    }

    /** The connection is reset after the last event, before the end of the body. */
    record ResetAfterDone() implements Fault {}

    /**
     * The connection is closed in good order after this many events, without the end of the body.
     *
     * @param afterChunks events that still arrive; a document is cut in the middle
     */
    record CloseWithoutTerminator(int afterChunks) implements Fault {
        public CloseWithoutTerminator {
            notNegative(afterChunks);
        }
    }

    /**
     * The answer is an error.
     *
     * @param body the body, or null for one in the engine's own style
     * @param retryAfterSeconds value of {@code Retry-After}, or -1 for none
     */
    record ErrorStatus(int status, @Nullable String body, int retryAfterSeconds) implements Fault {
        public ErrorStatus {
            if (status < 300 || status > 599) {
                throw new IllegalArgumentException("status: " + status + " (expected: 300 to 599)");
            }
        }

        /** An error with the engine's own body. */
        public ErrorStatus(int status) {
            this(status, null, -1);
        }
    }

    private static void notNegative(int afterChunks) {
        if (afterChunks < 0) {
            throw new IllegalArgumentException("afterChunks: " + afterChunks + " (expected: >= 0)");
        }
    }
}
