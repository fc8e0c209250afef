package io.kvgate.server.e2e.kit;

import java.io.IOException;

/** The peer's bytes are not the HTTP message they should be. */
public final class MalformedMessageException extends IOException {
    private static final long serialVersionUID = 1;

    public MalformedMessageException(String message) {
        super(message);
    }
}
