package io.kvgate.server.observability;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * One log event as text: time (UTC), level, logger, thread, message; a stack trace below, each line of it indented, so that no
 * text from outside can look like the begin of an event.
 *
 * <p>Threading: stateless.
 */
final class TextLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(512);
        TIME.formatTo(event.getInstant(), line);
        line.append(' ')
                .append(event.getLevel())
                .append(' ')
                .append(shortName(event.getLoggerName()))
                .append(" [")
                .append(event.getThreadName())
                .append("] ");
        LogText.appendMessage(line, event.getFormattedMessage());
        line.append('\n');
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            for (String traceLine : ThrowableProxyUtil.asString(thrown).split("\\R")) {
                line.append("    ");
                LogText.appendMessage(line, traceLine.strip());
                line.append('\n');
            }
        }
        return line.toString();
    }

    /** Class names without their package; names that are no classes whole. */
    private static String shortName(String logger) {
        int dot = logger.lastIndexOf('.');
        boolean isClass = dot >= 0 && dot + 1 < logger.length() && Character.isUpperCase(logger.charAt(dot + 1));
        return isClass ? logger.substring(dot + 1) : logger;
    }
}
