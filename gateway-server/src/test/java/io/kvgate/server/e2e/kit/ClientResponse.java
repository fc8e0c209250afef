package io.kvgate.server.e2e.kit;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A whole answer as the client got it.
 *
 * @param status from the status line
 * @param rawHead the head with its closing empty line, as ISO-8859-1
 * @param headers in order
 * @param body de-chunked
 * @param end how the body ended
 */
@SuppressWarnings("ArrayRecordComponent") // read by tests only
public record ClientResponse(int status, String rawHead, HeaderList headers, byte[] body, BodyEnd end) {
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    public @Nullable String header(String name) {
        return headers.first(name);
    }

    @Override
    public String toString() {
        String text = text();
        return status + " " + end + " " + headers.lines() + " "
                + (text.length() > 400 ? text.substring(0, 400) + "…" : text);
    }
}
