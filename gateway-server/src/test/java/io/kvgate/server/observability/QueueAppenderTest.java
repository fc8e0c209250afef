package io.kvgate.server.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class QueueAppenderTest {
    private final LoggerContext context = new LoggerContext();
    private final Target target = new Target();

    /** Keeps messages; blocks at the first until let go. */
    private static final class Target extends AppenderBase<ILoggingEvent> {
        final ConcurrentLinkedQueue<String> messages = new ConcurrentLinkedQueue<>();
        final CountDownLatch reached = new CountDownLatch(1);
        volatile CountDownLatch gate = new CountDownLatch(0);

        @Override
        protected void append(ILoggingEvent event) {
            reached.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            messages.add(event.getFormattedMessage());
        }
    }

    private Logger logger(QueueAppender appender) {
        context.setMDCAdapter(new LogbackMDCAdapter());
        target.setContext(context);
        appender.start();
        Logger logger = context.getLogger("x");
        logger.setLevel(Level.INFO);
        logger.addAppender(appender);
        return logger;
    }

    @Test
    void append_targetStuck_dropsAndTells() throws InterruptedException {
        target.gate = new CountDownLatch(1);
        QueueAppender appender = new QueueAppender(context, 4, List.of(target), () -> {});
        Logger logger = logger(appender);
        logger.info("first");
        target.reached.await();
        for (int i = 0; i < 10; i++) {
            logger.info("m{}", i);
        }
        assertThat(appender.droppedEvents()).isEqualTo(6);
        target.gate.countDown();
        appender.stop();
        assertThat(target.messages)
                .containsExactlyInAnyOrder(
                        "first",
                        "m0",
                        "m1",
                        "m2",
                        "m3",
                        "6 log lines were dropped, as they came faster than they could be written");
    }

    @Test
    void append_fromManyThreads_losesNothingAndKeepsEachThreadsOrder() throws InterruptedException {
        QueueAppender appender = new QueueAppender(context, 100_000, List.of(target), () -> {});
        Logger logger = logger(appender);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int number = t;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 5_000; i++) {
                    logger.info("{}:{}", number, i);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        appender.stop();
        assertThat(appender.droppedEvents()).isZero();
        assertThat(target.messages).hasSize(20_000);
        for (int t = 0; t < 4; t++) {
            String prefix = t + ":";
            assertThat(target.messages.stream()
                            .filter(message -> message.startsWith(prefix))
                            .map(message -> Integer.parseInt(message.substring(2))))
                    .isSorted()
                    .hasSize(5_000);
        }
    }

    @Test
    void append_whileAsleep_wakesTheWriter() {
        QueueAppender appender = new QueueAppender(context, 16, List.of(target), () -> {});
        Logger logger = logger(appender);
        for (int i = 1; i <= 20; i++) {
            logger.info("again");
            int expected = i;
            await().until(() -> target.messages.size() == expected);
        }
        appender.stop();
    }

    @Test
    void stop_twice_isHarmless() {
        QueueAppender appender = new QueueAppender(context, 16, List.of(target), () -> {});
        logger(appender).info("one");
        appender.stop();
        appender.stop();
        assertThat(target.messages).containsExactly("one");
        assertThat(target.isStarted()).isFalse();
    }
}
