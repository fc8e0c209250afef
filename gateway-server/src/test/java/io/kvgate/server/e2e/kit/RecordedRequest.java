package io.kvgate.server.e2e.kit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A request as a worker got it.
 *
 * @param head the whole head with its closing empty line, as ISO-8859-1
 * @param method as sent
 * @param target as sent, with its query
 * @param headers in order
 * @param body the first bytes of the body, at most the worker's limit of what it keeps
 * @param bodyBytes size of the whole body
 * @param bodyDigest SHA-256 of the whole body
 * @param bodyEnd how the body ended
 * @param connection number of the connection, from 1
 */
@SuppressWarnings("ArrayRecordComponent") // read by tests only
public record RecordedRequest(
        String head,
        String method,
        String target,
        HeaderList headers,
        byte[] body,
        long bodyBytes,
        byte[] bodyDigest,
        @Nullable BodyEnd bodyEnd,
        int connection) {
    /** The target without its query. */
    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    public String bodyText() {
        return new String(body, StandardCharsets.UTF_8);
    }

    public @Nullable String header(String name) {
        return headers.first(name);
    }

    boolean wantsClose() {
        return headers.says("connection", "close");
    }

    @Override
    public String toString() {
        return method + " " + target + " (connection " + connection + ", " + bodyBytes + " body bytes, sha256 "
                + HexFormat.of().formatHex(Arrays.copyOf(bodyDigest, 4)) + ")";
    }
}
