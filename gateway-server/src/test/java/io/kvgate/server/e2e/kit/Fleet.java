package io.kvgate.server.e2e.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Workers and gateways of one test, as a JUnit extension. After each test it checks that the gateways hold nothing any more,
 * closes everything, and checks that no thread stayed, no buffer leaked and no script failed.
 *
 * <p>Threading: the test's thread.
 */
public final class Fleet implements AfterEachCallback {
    private final List<ScriptedWorker> workers = new ArrayList<>();
    private final List<GatewayFixture> gateways = new ArrayList<>();
    private final List<AutoCloseable> others = new ArrayList<>();
    private boolean expectScriptFailures;
    private boolean skipRest;

    /** Starts a worker with this script. */
    public ScriptedWorker worker(Script script) throws IOException {
        ScriptedWorker worker = ScriptedWorker.start(script);
        workers.add(worker);
        return worker;
    }

    public List<ScriptedWorker> workers(int count, Script script) throws IOException {
        List<ScriptedWorker> some = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            some.add(worker(script));
        }
        return some;
    }

    /** Starts a gateway in front of all workers so far, and waits until all of them are ready. */
    public GatewayFixture gateway() throws IOException {
        return gateway(config -> {});
    }

    public GatewayFixture gateway(Consumer<ConfigChange> change) throws IOException {
        return gatewayNotReady(change).awaitReadyWorkers(workers.size());
    }

    /** Starts a gateway, and waits until so many workers are ready. */
    public GatewayFixture gateway(Consumer<ConfigChange> change, int readyWorkers) throws IOException {
        return gatewayNotReady(change).awaitReadyWorkers(readyWorkers);
    }

    /** Starts a gateway, and does not wait. */
    public GatewayFixture gatewayNotReady(Consumer<ConfigChange> change) throws IOException {
        GatewayFixture gateway = GatewayFixture.start(workers, change);
        gateways.add(gateway);
        return gateway;
    }

    /** Closes this too at the end, before the workers. */
    public <T extends AutoCloseable> T owns(T closeable) {
        others.add(closeable);
        return closeable;
    }

    /** The test's scripts may fail. */
    public void allowScriptFailures() {
        expectScriptFailures = true;
    }

    /** The test ends with requests under way; the gauges are not checked. */
    public void endsBusy() {
        skipRest = true;
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        boolean failed = context.getExecutionException().isPresent();
        List<Throwable> problems = new ArrayList<>();
        if (!failed && !skipRest) {
            gateways.forEach(gateway -> attempt(problems, gateway::assertAtRest));
        }
        others.forEach(other -> attempt(problems, other::close));
        gateways.forEach(gateway -> attempt(problems, gateway::close));
        workers.forEach(worker -> attempt(problems, worker::close));
        gateways.forEach(gateway -> attempt(problems, gateway::assertThreadsGone));
        attempt(problems, this::assertNoLeak);
        if (!expectScriptFailures) {
            workers.forEach(worker -> attempt(
                    problems,
                    () -> assertThat(worker.failures()).as("script failures").isEmpty()));
        }
        gateways.forEach(GatewayFixture::closeLog);
        if (!failed && !problems.isEmpty()) {
            AssertionError all = new AssertionError("after the test: " + problems);
            problems.forEach(all::addSuppressed);
            throw all;
        }
    }

    private void assertNoLeak() {
        System.gc();
        // A leak is told when the next buffer is tracked.
        ByteBuf probe = PooledByteBufAllocator.DEFAULT.directBuffer(16);
        probe.release();
        gateways.forEach(gateway -> assertThat(gateway.log().leaks()).isEmpty());
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void attempt(List<Throwable> problems, Step step) {
        try {
            step.run();
        } catch (Exception | AssertionError e) {
            problems.add(e);
        }
    }
}
