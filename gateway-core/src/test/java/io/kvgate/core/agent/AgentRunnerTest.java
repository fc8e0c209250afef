package io.kvgate.core.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.time.Ticker;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class AgentRunnerTest {
    private static final long LONG_PAUSE_NANOS = Duration.ofHours(1).toNanos();

    /** Counts steps with a semaphore, so that a test can wait for each. */
    private static final class FakeAgent implements Agent {
        private final Semaphore steps = new Semaphore(0);
        private final Queue<String> threads = new ConcurrentLinkedQueue<>();
        private final CountDownLatch closed = new CountDownLatch(1);
        private volatile boolean throwing;
        private volatile Runnable wakeUp = () -> {};

        @Override
        public String roleName() {
            return "fake";
        }

        @Override
        public void onStart(Runnable wakeUp) {
            this.wakeUp = wakeUp;
            threads.add(Thread.currentThread().getName());
        }

        @Override
        public long doWork(long nowNanos) {
            threads.add(Thread.currentThread().getName());
            steps.release();
            if (throwing) {
                throw new IllegalStateException("expected by the test");
            }
            return LONG_PAUSE_NANOS;
        }

        @Override
        public void onClose() {
            threads.add(Thread.currentThread().getName());
            closed.countDown();
        }

        void awaitStep() throws InterruptedException {
            assertThat(steps.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private final FakeAgent agent = new FakeAgent();

    @Test
    void start_stepsOnItsOwnNamedThread() throws InterruptedException {
        AgentRunner runner = new AgentRunner(agent, Ticker.system()).start();
        agent.awaitStep();
        runner.close();
        assertThat(agent.closed.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(agent.threads).hasSizeGreaterThanOrEqualTo(3).containsOnly("kvgate-fake");
    }

    @Test
    void wakeUp_duringALongPause_stepsAtOnce() throws InterruptedException {
        try (AgentRunner runner = new AgentRunner(agent, Ticker.system()).start()) {
            agent.awaitStep();
            runner.wakeUp();
            agent.awaitStep();
            agent.wakeUp.run();
            agent.awaitStep();
        }
    }

    @Test
    void stepThatThrows_isCountedAndTheNextComes() throws InterruptedException {
        agent.throwing = true;
        try (AgentRunner runner = new AgentRunner(agent, Ticker.system()).start()) {
            agent.awaitStep();
            runner.wakeUp();
            agent.awaitStep();
            agent.throwing = false;
            runner.wakeUp();
            agent.awaitStep();
            assertThat(runner.errors()).isBetween(1L, 3L);
        }
    }

    @Test
    void close_twice_closesOnce() throws InterruptedException {
        AgentRunner runner = new AgentRunner(agent, Ticker.system()).start();
        agent.awaitStep();
        runner.close();
        runner.close();
        assertThat(agent.closed.await(10, TimeUnit.SECONDS)).isTrue();
        int steps = agent.steps.availablePermits();
        runner.wakeUp();
        assertThat(agent.steps.availablePermits()).isEqualTo(steps);
    }
}
