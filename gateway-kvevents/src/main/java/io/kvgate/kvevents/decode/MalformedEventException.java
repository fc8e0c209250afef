package io.kvgate.kvevents.decode;

/** Bytes that are no event, or no batch. Cheap to throw: it has no stack trace. */
public final class MalformedEventException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedEventException(String message) {
        super(message, null, false, false);
    }
}
