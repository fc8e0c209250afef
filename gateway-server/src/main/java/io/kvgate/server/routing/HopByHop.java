package io.kvgate.server.routing;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Headers that belong to one connection and are not passed on (RFC 9110, section 7.6.1). */
final class HopByHop {
    static final Set<String> NAMES = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "trailer",
            "trailers",
            "transfer-encoding",
            "upgrade",
            "http2-settings");

    /** Without these a message would not be the same, whatever {@code Connection} says. */
    private static final Set<String> NEVER_NOMINATED =
            Set.of("content-length", "content-type", "content-encoding", "host", "authorization");

    private HopByHop() {}

    /** Removes them, and those that {@code Connection} names. */
    static void strip(HttpHeaders headers) {
        for (String name : nominated(headers)) {
            headers.remove(name);
        }
        for (String name : NAMES) {
            headers.remove(name);
        }
    }

    /** What {@code Connection} names, besides the usual two words; compares without case. */
    static Set<String> nominated(HttpHeaders headers) {
        List<String> values = headers.getAll(HttpHeaderNames.CONNECTION);
        if (values.isEmpty() || (values.size() == 1 && isUsual(values.get(0)))) {
            return Set.of();
        }
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (String value : values) {
            for (String token : value.split(",", -1)) {
                names.add(token.trim());
            }
        }
        // One by one: removeAll may ask the other set, which knows lower case only.
        NEVER_NOMINATED.forEach(names::remove);
        names.remove("");
        return names;
    }

    private static boolean isUsual(String value) {
        return value.equalsIgnoreCase("keep-alive") || value.equalsIgnoreCase("close");
    }
}
