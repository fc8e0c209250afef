package io.kvgate.server.monitor;

import static io.kvgate.core.metrics.GatewayMeter.WORKER_LOAD_POLLS;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.agent.AgentRunner;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.core.worker.WorkerStatus;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoadMonitorTest {
    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private final Fleet fleet = new Fleet();
    private final LoadReader reader = new LoadReader(fleet.registry, fleet.http, fleet.ticker, Duration.ofSeconds(20));
    private final LoadMonitor monitor = new LoadMonitor(fleet.registry, reader, fleet.metrics, INTERVAL, () -> true);

    @AfterEach
    void close() {
        fleet.close();
    }

    private long step() {
        return monitor.doWork(fleet.ticker.nanos());
    }

    private void awaitPolls(long number, String source, String result) {
        Awaitility.await().until(() -> fleet.count(WORKER_LOAD_POLLS, source, result) == number);
    }

    private static void awaitLoad(Worker worker, long running) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(worker.load())
                        .isNotNull()
                        .extracting(WorkerLoad::runningRequests)
                        .isEqualTo(running));
    }

    /** Field report 086. */
    @Test
    void doWork_threeKindsOfEngine_usesWhatEachOffers() {
        StubEngine vllm = fleet.engine().on("/load", 200, "{\"server_load\":3}");
        StubEngine sglang =
                fleet.engine().on("/get_load", 200, "[{\"num_reqs\":2,\"num_waiting_reqs\":1,\"num_tokens\":9}]");
        StubEngine mute = fleet.engine();
        Worker first = fleet.ready(vllm, "unknown", "m");
        Worker second = fleet.ready(sglang, "sglang", "m");
        Worker third = fleet.ready(mute, "unknown", "m");

        step();
        awaitLoad(first, 3);
        awaitLoad(second, 1);
        awaitPolls(1, "none", "unsupported");
        assertThat(third.load()).isNull();
        int asked = mute.seen().size();

        fleet.ticker.advance(INTERVAL);
        step();
        awaitPolls(2, "none", "unsupported");
        awaitPolls(2, "load", "ok");
        awaitPolls(2, "get_load", "ok");

        assertThat(mute.seen()).as("no 404 per poll").hasSize(asked);
        assertThat(vllm.count("/v1/loads")).isEqualTo(1);
    }

    @Test
    void doWork_beforeIntervalIsOver_asksNobody() {
        StubEngine engine = fleet.engine().on("/metrics", 200, "vllm:num_requests_running 1");
        fleet.ready(engine, "vllm", "m");
        step();
        awaitPolls(1, "metrics", "ok");

        fleet.ticker.advance(INTERVAL.minusMillis(1));

        assertThat(step()).isEqualTo(Duration.ofMillis(1).toNanos());
        assertThat(engine.seen()).hasSize(1);
    }

    @Test
    void doWork_pollFails_loadIsUnknown() {
        StubEngine engine = fleet.engine().on("/load", 200, "{\"server_load\":3}");
        Worker worker = fleet.ready(engine, "vllm", "m");
        step();
        awaitLoad(worker, 3);

        engine.on("/load", 500, "");
        fleet.ticker.advance(INTERVAL);
        step();
        awaitPolls(1, "load", "failed");

        assertThat(worker.load()).isNull();
    }

    @Test
    void doWork_engineDownAtFirst_isDetectedLater() {
        StubEngine engine = fleet.engine().on("/v1/loads", 503, "");
        Worker worker = fleet.ready(engine, "sglang", "m");
        step();
        awaitPolls(1, "undetected", "failed");

        engine.on("/v1/loads", 200, "{\"loads\":[{\"num_running_reqs\":8,\"num_waiting_reqs\":0}]}");
        fleet.ticker.advance(INTERVAL);
        step();

        awaitLoad(worker, 8);
    }

    @Test
    void doWork_slowEngine_delaysNobody_andIsNotAskedTwice() {
        CountDownLatch gate = new CountDownLatch(1);
        StubEngine slow = fleet.engine().onGated("/v1/loads", "{\"loads\":[{\"num_running_reqs\":1}]}", gate);
        StubEngine quick = fleet.engine().on("/v1/loads", 200, "{\"loads\":[{\"num_running_reqs\":2}]}");
        Worker late = fleet.ready(slow, "sglang", "m");
        Worker early = fleet.ready(quick, "sglang", "m");

        step();
        awaitLoad(early, 2);
        fleet.ticker.advance(INTERVAL);
        step();
        awaitPolls(2, "v1_loads", "ok");
        gate.countDown();

        awaitLoad(late, 1);
        assertThat(slow.count("/v1/loads")).isEqualTo(1);
    }

    @Test
    void doWork_workerNoLongerReady_loadIsUnknown() {
        Worker worker = fleet.ready(fleet.engine().on("/load", 200, "{\"server_load\":3}"), "vllm", "m");
        step();
        awaitLoad(worker, 3);

        fleet.registry.setStatus(worker, WorkerStatus.NOT_READY, "down");
        step();

        assertThat(worker.load()).isNull();
    }

    @Test
    void run_byAgentRunner_pollsWorkerThatBecomesReady() {
        try (AgentRunner runner = new AgentRunner(monitor, fleet.ticker).start()) {
            Worker worker = fleet.ready(fleet.engine().on("/load", 200, "{\"server_load\":3}"), "vllm", "m");

            awaitLoad(worker, 3);
            assertThat(runner.errors()).isZero();
        }
    }

    @Test
    void doWork_notWanted_asksNobodyUntilItIs() {
        StubEngine engine = fleet.engine().on("/load", 200, "{\"server_load\":3}");
        fleet.ready(engine, "vllm", "m");
        AtomicBoolean wanted = new AtomicBoolean();
        LoadMonitor off = new LoadMonitor(fleet.registry, reader, fleet.metrics, INTERVAL, wanted::get);

        off.doWork(fleet.ticker.nanos());

        assertThat(fleet.count(WORKER_LOAD_POLLS, "load", "ok")).isZero();
        assertThat(engine.seen()).isEmpty();

        wanted.set(true);
        off.doWork(fleet.ticker.nanos());
        awaitPolls(1, "load", "ok");
    }
}
