package io.kvgate.server.e2e.kit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * Everything that is logged while it is attached, whatever the level of the console is.
 *
 * <p>Threading: any thread.
 */
public final class LogCapture implements AutoCloseable {
    /** The logger of the access log. */
    public static final String ACCESS = "kvgate.access";

    private final CopyOnWriteArrayList<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final Level levelBefore =
            context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getLevel();
    private final Sink sink = new Sink();
    private final Reattach listener = new Reattach();
    private volatile Level level = Level.INFO;

    private final class Sink extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }
    }

    /** The gateway sets logging up anew when it starts, which drops appenders. */
    private final class Reattach implements LoggerContextListener {
        @Override
        public boolean isResetResistant() {
            return true;
        }

        @Override
        public void onStart(LoggerContext started) {}

        @Override
        public void onReset(LoggerContext reset) {
            attach();
        }

        @Override
        public void onStop(LoggerContext stopped) {}

        @Override
        public void onLevelChange(Logger logger, Level level) {}
    }

    public LogCapture() {
        sink.setContext(context);
        sink.start();
        context.addListener(listener);
        attach();
    }

    private void attach() {
        sink.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(level);
        root.detachAppender(sink);
        root.addAppender(sink);
        Logger access = context.getLogger(ACCESS);
        access.detachAppender(sink);
        if (!access.isAdditive()) {
            access.addAppender(sink);
        }
    }

    /** What is captured from now on; INFO at first. */
    public void level(Level wanted) {
        level = wanted;
        attach();
    }

    /** Attaches to what the gateway's start has changed. */
    void refresh() {
        attach();
    }

    public List<ILoggingEvent> events() {
        return List.copyOf(events);
    }

    /** Formatted messages of the access log. */
    public List<String> accessLines() {
        return events.stream()
                .filter(event -> event.getLoggerName().equals(ACCESS))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** Everything but the access log, at this level or above. */
    public List<String> messages(Level atLeast) {
        return events.stream()
                .filter(event -> !event.getLoggerName().equals(ACCESS)
                        && event.getLevel().isGreaterOrEqual(atLeast))
                .map(event -> event.getLevel() + " " + event.getLoggerName() + " " + event.getFormattedMessage()
                        + (event.getThrowableProxy() == null
                                ? ""
                                : " | " + event.getThrowableProxy().getClassName() + ": "
                                        + event.getThrowableProxy().getMessage()))
                .toList();
    }

    /** Reports of buffers that were not released. */
    public List<String> leaks() {
        return events.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(message -> message.contains("LEAK:"))
                .toList();
    }

    @Override
    public void close() {
        context.removeListener(listener);
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.detachAppender(sink);
        root.setLevel(levelBefore);
        context.getLogger(ACCESS).detachAppender(sink);
        sink.stop();
    }
}
