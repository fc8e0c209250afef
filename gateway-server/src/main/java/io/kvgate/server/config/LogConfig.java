package io.kvgate.server.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where and how the gateway logs.
 *
 * @param level debug, info, warn or error
 * @param dir adds a daily rolled file there; null: standard output only
 * @param json one JSON object per line instead of text
 * @param accessLog whether each request gets its line
 */
public record LogConfig(Level level, @Nullable Path dir, boolean json, boolean accessLog) {
    /** Log levels, as the flag spells them. */
    public enum Level {
        DEBUG,
        INFO,
        WARN,
        ERROR
    }

    public static final LogConfig DEFAULT = new LogConfig(Level.INFO, null, false, true);
}
