package io.kvgate.bench.jmh;

import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.WorkerPool;
import io.kvgate.policies.Candidates;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What precedes every choice: who of the pool is ready, admitted by its breaker and not resting. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"})
@State(Scope.Thread)
public class CandidatesBenchmark {
    @Param({"8", "64", "512"})
    int workers;

    private final Candidates candidates = new Candidates();
    private @Nullable FleetState fleet;
    private WorkerPool pool = new WorkerPool(candidates.key(), List.of(), List.of());

    @Setup(Level.Trial)
    public void start() {
        fleet = new FleetState(workers, Ticker.system(), new NoopMetricsRegistry());
        pool = fleet.pool();
    }

    @TearDown(Level.Trial)
    public void stop() {
        if (fleet != null) {
            fleet.close();
        }
    }

    @Benchmark
    public Candidates fill(ThreadCost cost) {
        cost.called();
        return candidates.fill(pool, Set.of());
    }
}
