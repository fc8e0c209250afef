package io.kvgate.server.http;

import io.kvgate.core.request.RoutingKeys;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/** Routing keys as a request's headers have them; looked up when asked. */
record HeaderKeys(HttpHeaders headers) implements RoutingKeys {
    private static final String[] IMPLICIT = {"authorization", "x-forwarded-for", "cookie"};

    @Override
    public @Nullable String targetWorker() {
        String value = headers.get("x-smg-target-worker");
        return value == null || value.isEmpty() ? null : value;
    }

    @Override
    public @Nullable String routingKey() {
        return usable(headers.get("x-smg-routing-key"));
    }

    @Override
    public @Nullable String implicitKey() {
        for (String name : IMPLICIT) {
            String value = headers.get(name);
            if (value != null) {
                return usable(value);
            }
        }
        return null;
    }

    private static @Nullable String usable(@Nullable String value) {
        if (value == null || value.isEmpty()) {
            return null;
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c > '~') {
                return null;
            }
        }
        return value;
    }
}
