package io.kvgate.server.observability;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Keeps the events of one logger. */
final class LogCapture implements AutoCloseable {
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();
    private final Logger logger;

    LogCapture(String name, Level level) {
        logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(name);
        logger.setLevel(level);
        events.start();
        logger.addAppender(events);
    }

    List<ILoggingEvent> events() {
        return List.copyOf(events.list);
    }

    @Override
    public void close() {
        logger.detachAppender(events);
        logger.setLevel(null);
    }
}
