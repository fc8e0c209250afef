package io.kvgate.core.error;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A failure that the gateway answers with one {@link ErrorCode}. Has no stack trace: it is an expected rejection. */
public final class GatewayException extends RuntimeException {
    private final ErrorCode code;
    private final @Nullable Duration retryAfter;

    /** The message reaches the client: it names the worker's id, phase and cause, never an address or a secret. */
    public GatewayException(ErrorCode code, String message) {
        this(code, message, null);
    }

    /** As the other, with the pause to advise the client; null if a pause would not help. */
    public GatewayException(ErrorCode code, String message, @Nullable Duration retryAfter) {
        super(requireNonNull(message, "message"), null, false, false);
        this.code = requireNonNull(code, "code");
        this.retryAfter = retryAfter;
    }

    public ErrorCode code() {
        return code;
    }

    /** The message, never null. */
    public String message() {
        return requireNonNull(getMessage());
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
