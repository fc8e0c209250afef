package io.kvgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.bench.engine.SimulatedEngine;
import io.kvgate.bench.engine.SimulatedEngineConfig;
import io.kvgate.bench.engine.fault.Fault;
import io.kvgate.bench.workload.Arrivals;
import io.kvgate.bench.workload.TenantWorkload;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class LoadGeneratorTest {
    private static final TenantWorkload.Shape SHAPE = new TenantWorkload.Shape("llama-3-8b", 3, 100, 8, 4);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final SimulatedEngine engine =
            SimulatedEngine.start(SimulatedEngineConfig.defaults().withSpeedup(200));
    private final LoadGenerator generator = new LoadGenerator(Ticker.system());
    private final TenantWorkload workload = new TenantWorkload(SHAPE, 1);

    @AfterEach
    void close() {
        generator.close();
        engine.close();
    }

    @Test
    void openLoop_sendsAllAndAddsUpWhatTheEngineCounted() throws InterruptedException {
        LoadPlan.Pace pace = new LoadPlan.OpenLoop(Arrivals.poisson(400, new SplitMixRandom(2)), 500);
        LoadResult result = generator.run(plan(pace, 100, LONG, LONG), workload::next);

        assertThat(result.outcomes()).isEqualTo(Map.of(LoadResult.GOOD, 100));
        assertThat(result.bad()).isZero();
        assertThat(result.tokens().prompt()).isEqualTo(100L * SHAPE.promptTokens());
        assertThat(result.tokens().completion()).isEqualTo(400);
        assertThat(result.tokens().cached())
                .isEqualTo(engine.stats().get(0).cacheHitTokensTotal())
                .isPositive();
        assertThat(result.timeToFirstToken().count()).isEqualTo(100);
        assertThat(result.timeToFirstToken().p50Nanos())
                .isPositive()
                .isLessThanOrEqualTo(result.endToEnd().maxNanos());
        assertThat(result.perWorker()).isEmpty();
    }

    @Test
    void openLoop_senderIsLate_latencyCountsFromWhenTheRequestWasDue() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        LoadPlan.Pace pace = new LoadPlan.OpenLoop(Arrivals.fixed(1_000), 500);
        LoadResult result = generator.run(plan(pace, 50, LONG, LONG), () -> {
            if (asked.incrementAndGet() == 10) {
                stall(Duration.ofMillis(300));
            }
            return workload.next();
        });

        assertThat(result.good()).isEqualTo(50);
        // The tenth and those behind it were due up to 300 ms before they could be sent.
        assertThat(result.endToEnd().maxNanos()).isGreaterThan(290_000_000L);
        assertThat(result.endToEnd().p50Nanos()).isGreaterThan(250_000_000L);
    }

    @Test
    void openLoop_tooManyUnderWay_restIsNotSent() throws InterruptedException {
        engine.faults().always(new Fault.Hang());
        LoadPlan.Pace pace = new LoadPlan.OpenLoop(Arrivals.fixed(1_000), 3);
        LoadResult result = generator.run(plan(pace, 20, LONG, Duration.ofMillis(500)), workload::next);

        assertThat(result.requests()).isEqualTo(20);
        assertThat(result.outcomes()).isEqualTo(Map.of(LoadResult.TIMEOUT, 3, LoadResult.NOT_SENT, 17));
    }

    @Test
    void closedLoop_sendsTheNextWhenOneHasEnded() throws InterruptedException {
        LoadResult result = generator.run(plan(new LoadPlan.ClosedLoop(4), 60, LONG, LONG), workload::next);

        assertThat(result.outcomes()).isEqualTo(Map.of(LoadResult.GOOD, 60));
        assertThat(engine.requestsReceived("/v1/chat/completions")).isEqualTo(60);
    }

    @Test
    void run_endsWithItsTime() throws InterruptedException {
        Duration time = Duration.ofMillis(300);
        LoadResult result = generator.run(plan(new LoadPlan.ClosedLoop(2), 1_000_000, time, LONG), workload::next);

        assertThat(result.good()).isPositive();
        assertThat(result.bad()).isZero();
        assertThat(result.elapsed()).isGreaterThanOrEqualTo(time).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void run_errors_areCountedByStatusAndKind() throws InterruptedException {
        engine.faults().next(3, new Fault.ErrorStatus(503, "{}", 0));
        LoadResult refused = generator.run(plan(new LoadPlan.ClosedLoop(1), 3, LONG, LONG), workload::next);
        engine.faults().next(2, new Fault.ResetBeforeHead());
        LoadResult reset = generator.run(plan(new LoadPlan.ClosedLoop(1), 2, LONG, LONG), workload::next);

        assertThat(refused.outcomes()).isEqualTo(Map.of("503", 3));
        assertThat(refused.endToEnd().count()).isZero();
        assertThat(reset.good()).isZero();
        assertThat(reset.bad()).isEqualTo(2);
    }

    @Test
    void run_streamThatBreaksOff_isNotGood() throws InterruptedException {
        engine.faults().next(2, new Fault.CloseWithoutTerminator(2));
        LoadResult result = generator.run(plan(new LoadPlan.ClosedLoop(1), 2, LONG, LONG), workload::next);

        assertThat(result.good()).isZero();
        assertThat(result.bad()).isEqualTo(2);
    }

    private LoadPlan plan(LoadPlan.Pace pace, int requests, Duration time, Duration timeout) {
        return new LoadPlan(engine.url().resolve("/v1/chat/completions"), pace, requests, time, timeout);
    }

    private static void stall(Duration time) {
        Ticker ticker = Ticker.system();
        long end = ticker.nanos() + time.toNanos();
        while (end - ticker.nanos() > 0) {
            LockSupport.parkNanos(end - ticker.nanos());
        }
    }
}
