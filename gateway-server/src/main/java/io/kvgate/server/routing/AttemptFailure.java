package io.kvgate.server.routing;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.worker.Worker;

/**
 * Why an attempt gave no answer to pass on, while nothing has reached the client.
 *
 * @param worker who was asked
 * @param code the kind of failure
 * @param cause in words that name no address
 * @param detail for the log only
 * @param status the worker's retryable status; 0 if there was no response head
 * @param retryAfterNanos what the worker asked to wait; 0 if it did not
 */
public record AttemptFailure(
        Worker worker, ErrorCode code, String cause, String detail, int status, long retryAfterNanos) {}
