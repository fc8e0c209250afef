package io.kvgate.server.observability;

import io.kvgate.server.config.LogConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one line per ended request to the logger {@value #LOGGER_NAME}. Never header values, bodies or queries.
 *
 * <p>Answers that the gateway made because something behind it failed (5xx) are warnings, everything else is information.
 *
 * <p>Threading: any thread. The line is put together by the log's own thread.
 */
public final class AccessLog {
    public static final String LOGGER_NAME = "kvgate.access";

    private static final int FIRST_SERVER_ERROR = 500;

    private final Logger logger = LoggerFactory.getLogger(LOGGER_NAME);
    private final boolean enabled;
    private final String format;

    public AccessLog(LogConfig config) {
        enabled = config.accessLog();
        // In JSON the fields stand beside the message, so it need not repeat them.
        format = config.json() ? "request" : "{}";
    }

    /** Whether anything would be written; lets a caller skip making the record. */
    public boolean isEnabled() {
        return enabled && logger.isWarnEnabled();
    }

    public void log(AccessRecord access) {
        if (!enabled) {
            return;
        }
        boolean gatewayFailure =
                access.status() >= FIRST_SERVER_ERROR && !access.outcome().equals("completed");
        if (gatewayFailure) {
            logger.warn(format, new AccessLine(access));
        } else if (logger.isInfoEnabled()) {
            logger.info(format, new AccessLine(access));
        }
    }
}
