package io.kvgate.server.observability;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import io.kvgate.server.config.LogConfig;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.logstash.logback.encoder.LogstashEncoder;
import org.slf4j.LoggerFactory;

/**
 * The logging set-up of a running gateway, made in code from {@link LogConfig}: everything to standard output, and to a daily
 * file if a directory is set. There is one per process, as Logback has one context.
 *
 * <p>Threading: started and closed by the main thread.
 */
public final class LogSetup implements AutoCloseable {
    private static final int BUFFER_BYTES = 65_536;

    private final LoggerContext context;
    private final QueueAppender queue;

    private LogSetup(LoggerContext context, QueueAppender queue) {
        this.context = context;
        this.queue = queue;
    }

    /**
     * Replaces whatever set-up there was.
     *
     * @param out where console lines go; flushed, never closed
     * @throws IOException if the directory can't be made or written; the message names the flag
     */
    public static LogSetup start(LogConfig config, OutputStream out) throws IOException {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        OutputStream buffered = new BufferedOutputStream(out, BUFFER_BYTES);
        List<Appender<ILoggingEvent>> targets = new ArrayList<>();
        targets.add(console(context, config, buffered));
        if (config.dir() != null) {
            targets.add(file(context, config, config.dir()));
        }
        QueueAppender queue = new QueueAppender(context, QueueAppender.DEFAULT_CAPACITY, targets, buffered);
        queue.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(level(config.level()));
        root.addAppender(queue);
        if (config.level() != LogConfig.Level.DEBUG && config.level() != LogConfig.Level.ERROR) {
            context.getLogger("io.netty").setLevel(Level.WARN);
        }
        return new LogSetup(context, queue);
    }

    /** Lines that were dropped because they came faster than they could be written. */
    public long droppedLines() {
        return queue.droppedEvents();
    }

    /** Writes out what is queued, for two seconds at most. */
    @Override
    public void close() {
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).detachAppender(queue);
        queue.stop();
    }

    private static Level level(LogConfig.Level level) {
        return switch (level) {
            case DEBUG -> Level.DEBUG;
            case INFO -> Level.INFO;
            case WARN -> Level.WARN;
            case ERROR -> Level.ERROR;
        };
    }

    private static Appender<ILoggingEvent> console(LoggerContext context, LogConfig config, OutputStream out) {
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(context);
        appender.setName("console");
        appender.setEncoder(encoder(context, config));
        appender.setImmediateFlush(false);
        appender.setOutputStream(new Unclosed(out));
        return appender;
    }

    private static Appender<ILoggingEvent> file(LoggerContext context, LogConfig config, Path dir) throws IOException {
        try {
            Files.createDirectories(dir);
        } catch (IOException e) {
            throw new IOException("--log-dir: " + dir + " (expected: a directory that can be made): " + e, e);
        }
        if (!Files.isWritable(dir)) {
            throw new IOException("--log-dir: " + dir + " (expected: a directory that can be written)");
        }
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(context);
        appender.setName("file");
        appender.setEncoder(encoder(context, config));
        TimeBasedRollingPolicy<ILoggingEvent> daily = new TimeBasedRollingPolicy<>();
        daily.setContext(context);
        daily.setParent(appender);
        daily.setFileNamePattern(dir.resolve("kvgate.%d{yyyy-MM-dd, UTC}.log").toString());
        daily.start();
        appender.setRollingPolicy(daily);
        return appender;
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext context, LogConfig config) {
        if (config.json()) {
            LogstashEncoder json = new LogstashEncoder();
            json.setContext(context);
            json.setTimeZone("UTC");
            json.start();
            return json;
        }
        TextLayout layout = new TextLayout();
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> text = new LayoutWrappingEncoder<>();
        text.setContext(context);
        text.setCharset(StandardCharsets.UTF_8);
        text.setLayout(layout);
        text.start();
        return text;
    }

    /** Standard output outlives the set-up. */
    private static final class Unclosed extends OutputStream {
        private final OutputStream out;

        Unclosed(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }
}
