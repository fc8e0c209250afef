package io.kvgate.bench.engine.api;

/** A request the engine refuses, with the status it answers. Carries no stack trace: refusals are expected. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    public ApiException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    public int status() {
        return status;
    }

    /** The message, which is never null here. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
