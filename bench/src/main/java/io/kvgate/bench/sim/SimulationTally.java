package io.kvgate.bench.sim;

import io.kvgate.bench.engine.model.ModelStats;
import io.kvgate.bench.engine.model.SimulatedRequest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/**
 * Counts what happens from one moment on.
 *
 * <p>Threading: one thread.
 */
final class SimulationTally {
    private final long fromNanos;
    private final List<SimulatedWorker> workers;
    private final long[] chosen;
    private final Map<String, Long> reasons = new HashMap<>();
    private final LongStream.Builder firstTokenNanos = LongStream.builder();
    private boolean counting;
    private long promptTokensBefore;
    private long cachedTokensBefore;

    SimulationTally(long fromNanos, List<SimulatedWorker> workers) {
        this.fromNanos = fromNanos;
        this.workers = List.copyOf(workers);
        chosen = new long[workers.size()];
    }

    /** Before anything happens at that moment. */
    void reach(long nowNanos) {
        if (!counting && nowNanos >= fromNanos) {
            counting = true;
            promptTokensBefore = sum(ModelStats::cacheQueryTokensTotal);
            cachedTokensBefore = sum(ModelStats::cacheHitTokensTotal);
        }
    }

    void chosen(int workerIndex, String reason) {
        if (counting) {
            chosen[workerIndex]++;
            reasons.merge(reason, 1L, Long::sum);
        }
    }

    void finished(SimulatedRequest request) {
        if (request.arrivalNanos() >= fromNanos) {
            firstTokenNanos.add(request.firstTokenNanos() - request.arrivalNanos());
        }
    }

    /** Call once. */
    SimulationResult result() {
        long choices = Arrays.stream(chosen).sum();
        long most = Arrays.stream(chosen).max().orElse(0);
        return new SimulationResult(
                choices,
                sum(ModelStats::cacheQueryTokensTotal) - promptTokensBefore,
                sum(ModelStats::cacheHitTokensTotal) - cachedTokensBefore,
                SimulationResult.Times.of(firstTokenNanos.build().toArray()),
                choices == 0 ? 0 : (double) most / choices,
                workers.stream().mapToInt(worker -> worker.worker().inFlight()).sum(),
                reasons);
    }

    private long sum(ToLongFunction<ModelStats> counter) {
        return workers.stream().map(SimulatedWorker::stats).mapToLong(counter).sum();
    }
}
