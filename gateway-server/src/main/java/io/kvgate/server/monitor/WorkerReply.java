package io.kvgate.server.monitor;

import io.kvgate.core.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * How one call to a worker ended: with an answer, or without.
 *
 * @param status HTTP status; 0 if there was no whole answer
 * @param contentType value of {@code Content-Type}; empty if there is none
 * @param body the answer's body, never changed after; empty if there was no answer
 * @param failure what went wrong, without address or secret; empty if there was an answer
 * @param failureCode the failure's code; null if there was an answer
 */
@SuppressWarnings("ArrayRecordComponent") // read only, by convention
public record WorkerReply(
        int status,
        String contentType,
        byte[] body,
        String failure,
        @Nullable ErrorCode failureCode) {
    /** A whole answer. */
    public static WorkerReply answered(int status, String contentType, byte[] body) {
        return new WorkerReply(status, contentType, body, "", null);
    }

    /** No whole answer. */
    public static WorkerReply failed(ErrorCode code, String failure) {
        return new WorkerReply(0, "", new byte[0], failure, code);
    }

    /** Whether a whole answer came and its status is 2xx. */
    public boolean ok() {
        return status >= 200 && status <= 299;
    }

    /** Whether a whole answer came, whatever its status. */
    public boolean answered() {
        return status != 0;
    }

    /** What happened, in words: the failure, or the status. */
    public String detail() {
        return answered() ? "HTTP " + status : failure;
    }

    /** The code to answer with when this reply makes a request fail; an unwanted status counts as a protocol error. */
    public ErrorCode errorCode() {
        return failureCode == null ? ErrorCode.UPSTREAM_PROTOCOL_ERROR : failureCode;
    }
}
