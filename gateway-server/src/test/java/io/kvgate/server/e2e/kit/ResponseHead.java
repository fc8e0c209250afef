package io.kvgate.server.e2e.kit;

import org.jspecify.annotations.Nullable;

/**
 * The head of an answer.
 *
 * @param status from the status line
 * @param raw the head with its closing empty line, as ISO-8859-1
 * @param headers in order
 */
public record ResponseHead(int status, String raw, HeaderList headers) {
    public @Nullable String header(String name) {
        return headers.first(name);
    }
}
