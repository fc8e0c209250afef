package io.kvgate.server.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys. Never printed.
 *
 * @param apiKey what clients must send as bearer; null: no check
 * @param controlPlaneKeys keys of administrators; when there are any, only they open the admin routes
 */
public record AuthConfig(@Nullable String apiKey, List<String> controlPlaneKeys) {
    public static final AuthConfig NONE = new AuthConfig(null, List.of());

    public AuthConfig {
        controlPlaneKeys = List.copyOf(controlPlaneKeys);
    }

    @Override
    public String toString() {
        return "AuthConfig[apiKey=" + (apiKey == null ? "none" : "set") + ", controlPlaneKeys="
                + controlPlaneKeys.size() + "]";
    }
}
