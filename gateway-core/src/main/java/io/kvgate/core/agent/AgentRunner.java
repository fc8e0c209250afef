package io.kvgate.core.agent;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.time.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one agent on one daemon thread named after it.
 *
 * <p>Threading: any thread may start, wake and close it. The agent itself is touched by its own thread only.
 */
public final class AgentRunner implements AutoCloseable {
    /** The pause after a step that threw, so that a lasting fault does not spin. */
    private static final long PAUSE_AFTER_ERROR_NANOS = Duration.ofSeconds(1).toNanos();
    /** Errors are logged at most this often. */
    private static final long ERROR_LOG_INTERVAL_NANOS = Duration.ofSeconds(30).toNanos();
    /** Long enough to cost nothing, short enough that a wrong sum of an agent heals. */
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(60).toNanos();

    private static final Logger log = LoggerFactory.getLogger(AgentRunner.class);

    private final Agent agent;
    private final Ticker ticker;
    private final Thread thread;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong errors = new AtomicLong();

    /** Does not start yet. */
    public AgentRunner(Agent agent, Ticker ticker) {
        this.agent = requireNonNull(agent, "agent");
        this.ticker = requireNonNull(ticker, "ticker");
        thread = new Thread(this::run, "kvgate-" + agent.roleName());
        thread.setDaemon(true);
    }

    /** Once. */
    public AgentRunner start() {
        thread.start();
        return this;
    }

    /** Has the next step come at once; one that is under way is followed by another. */
    public void wakeUp() {
        LockSupport.unpark(thread);
    }

    /** Steps that threw. */
    public long errors() {
        return errors.get();
    }

    /** Waits up to 2 s for the step that is under way. Later calls do nothing. */
    @Override
    public void close() {
        close(Duration.ofSeconds(2));
    }

    /** Ends the agent after the step that is under way, and waits for that up to the limit. Later calls do nothing. */
    public void close(Duration limit) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        wakeUp();
        if (thread.equals(Thread.currentThread())) {
            return;
        }
        try {
            thread.join(Math.max(1, limit.toMillis()));
            if (thread.isAlive()) {
                log.warn("Agent {}: did not end within {} ms", agent.roleName(), limit.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long loggedNanos = ticker.nanos() - ERROR_LOG_INTERVAL_NANOS;
        guarded(() -> agent.onStart(this::wakeUp));
        while (!closed.get()) {
            long pauseNanos;
            try {
                pauseNanos = agent.doWork(ticker.nanos());
            } catch (Throwable e) {
                // Whatever it was: a gateway whose health checks have silently ended is worse than one that logs.
                errors.incrementAndGet();
                long nowNanos = ticker.nanos();
                if (nowNanos - loggedNanos >= ERROR_LOG_INTERVAL_NANOS) {
                    loggedNanos = nowNanos;
                    log.error("Agent {}: a step failed ({} so far)", agent.roleName(), errors.get(), e);
                }
                pauseNanos = PAUSE_AFTER_ERROR_NANOS;
            }
            if (pauseNanos > 0 && !closed.get()) {
                // A wake-up that came during the step makes this return at once.
                LockSupport.parkNanos(this, Math.min(pauseNanos, LONGEST_PAUSE_NANOS));
            }
        }
        guarded(agent::onClose);
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            errors.incrementAndGet();
            log.error("Agent {}: could not start or end cleanly", agent.roleName(), e);
        }
    }
}
