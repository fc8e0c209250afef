package io.kvgate.server.observability;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.io.Flushable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Hands log events to a thread of its own, so that a slow terminal or disk never holds up an event loop. When the queue is
 * full, events are dropped, counted, and the count is logged once there is room.
 *
 * <p>Threading: any thread appends. The writing thread alone touches the targets. It pauses briefly after a batch before it
 * really sleeps, and appending threads wake it only from real sleep: under load no system call is made per event.
 */
final class QueueAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
    static final int DEFAULT_CAPACITY = 8_192;

    private static final int BATCH = 256;
    private static final long LULL_NANOS = 2_000_000;
    private static final long STOP_MILLIS = 2_000;

    private final BlockingQueue<ILoggingEvent> queue;
    private final List<Appender<ILoggingEvent>> targets;
    private final Flushable flushed;
    private final Logger logger;
    private final LongAdder dropped = new LongAdder();
    private final Thread writer = new Thread(this::write, "kvgate-log");
    private volatile boolean sleeping;
    private volatile boolean stopping;

    /**
     * @param capacity events that may wait
     * @param flushed flushed after each batch
     */
    QueueAppender(LoggerContext context, int capacity, List<Appender<ILoggingEvent>> targets, Flushable flushed) {
        setContext(context);
        setName("queue");
        logger = context.getLogger(QueueAppender.class);
        queue = new ArrayBlockingQueue<>(capacity);
        this.targets = List.copyOf(targets);
        this.flushed = flushed;
        writer.setDaemon(true);
    }

    /** Events dropped so far because the queue was full. */
    long droppedEvents() {
        return dropped.sum();
    }

    @Override
    public void start() {
        targets.forEach(Appender::start);
        super.start();
        writer.start();
    }

    /** Writes out what is queued, for two seconds at most, then stops the targets. Idempotent. */
    @Override
    public void stop() {
        if (!isStarted()) {
            return;
        }
        super.stop();
        stopping = true;
        LockSupport.unpark(writer);
        try {
            writer.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        targets.forEach(Appender::stop);
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.getThreadName();
        if (!event.getLoggerName().equals(AccessLog.LOGGER_NAME)) {
            // Arguments may change later, but an access record does not, and formatting it is the writer's work.
            event.prepareForDeferredProcessing();
        }
        if (!queue.offer(event)) {
            dropped.increment();
        } else if (sleeping) {
            sleeping = false;
            LockSupport.unpark(writer);
        }
    }

    private void write() {
        List<ILoggingEvent> batch = new ArrayList<>(BATCH);
        long reported = 0;
        boolean lull = false;
        while (true) {
            boolean last = stopping;
            queue.drainTo(batch, BATCH);
            if (!batch.isEmpty()) {
                batch.forEach(this::writeToTargets);
                batch.clear();
                lull = false;
            }
            long lost = dropped.sum();
            if (lost > reported) {
                writeToTargets(dropNotice(lost - reported));
                reported = lost;
            }
            if (!queue.isEmpty()) {
                continue;
            }
            flush();
            if (last) {
                return;
            }
            if (!lull) {
                lull = true;
                LockSupport.parkNanos(this, LULL_NANOS);
            } else {
                sleep();
            }
        }
    }

    /** The flag is set before the queue is looked at again, and senders look at it after they have queued: no event is missed. */
    private void sleep() {
        sleeping = true;
        while (sleeping && queue.isEmpty() && !stopping) {
            LockSupport.park(this);
        }
        sleeping = false;
    }

    private void writeToTargets(ILoggingEvent event) {
        for (Appender<ILoggingEvent> target : targets) {
            target.doAppend(event);
        }
    }

    private void flush() {
        try {
            flushed.flush();
        } catch (IOException e) {
            addError("log could not be flushed", e);
        }
    }

    private ILoggingEvent dropNotice(long count) {
        String message = count + " log lines were dropped, as they came faster than they could be written";
        return new LoggingEvent(QueueAppender.class.getName(), logger, Level.WARN, message, null, null);
    }
}
