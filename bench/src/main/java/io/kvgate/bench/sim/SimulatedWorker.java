package io.kvgate.bench.sim;

import io.kvgate.bench.engine.model.EngineModel;
import io.kvgate.bench.engine.model.ModelStats;
import io.kvgate.bench.engine.model.SimulatedRequest;
import io.kvgate.bench.engine.model.StepResult;
import io.kvgate.bench.sim.traffic.Turn;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.policies.SelectionContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A worker of the registry with its engine, and the requests that stay there.
 *
 * <p>Threading: one thread.
 */
final class SimulatedWorker {
    /** The end of a step that nobody has begun. */
    static final long IDLE = Long.MAX_VALUE;

    /** One request from its choice to the end of its answer. Turn and answer are kept only if a turn follows. */
    static final class Stay {
        final LoadGuard guard;
        final SelectionContext context;
        final @Nullable Turn turn;
        final int[] answer;
        private int answered;

        private Stay(Turn turn, SelectionContext context, LoadGuard guard) {
            this.guard = guard;
            this.context = context;
            this.turn = turn.last() ? null : turn;
            answer = turn.last() ? new int[0] : new int[turn.outputTokens()];
        }

        private void emitted(int token) {
            if (turn != null) {
                answer[answered++] = token;
            }
        }
    }

    /** A request whose answer is complete. */
    record Finished(SimulatedRequest request, Stay stay) {}

    private final Worker worker;
    private final EngineModel engine;
    private final Map<SimulatedRequest, Stay> stays = new HashMap<>();
    private long stepEndNanos = IDLE;

    SimulatedWorker(Worker worker, EngineModel engine) {
        this.worker = worker;
        this.engine = engine;
    }

    Worker worker() {
        return worker;
    }

    ModelStats stats() {
        return engine.stats();
    }

    /** When the step in progress ends, or {@link #IDLE}. */
    long stepEndNanos() {
        return stepEndNanos;
    }

    /** Takes a request, and begins a step if none is in progress. */
    void submit(String id, Turn turn, SelectionContext context, LoadGuard guard, long nowNanos) {
        SimulatedRequest request = engine.submit(id, turn.prompt(), turn.outputTokens(), nowNanos);
        stays.put(request, new Stay(turn, context, guard));
        if (stepEndNanos == IDLE) {
            begin(nowNanos);
        }
    }

    /** Ends the step in progress, which is due, and begins the next. */
    List<Finished> step(long nowNanos) {
        List<Finished> finished = new ArrayList<>();
        for (StepResult.Emission emission : engine.complete().emissions()) {
            Stay stay = stays.get(emission.request());
            if (stay == null) {
                throw new IllegalStateException(emission.request().id() + ": unknown (expected: a submitted request)");
            }
            stay.emitted(emission.token());
            if (emission.last()) {
                stays.remove(emission.request());
                finished.add(new Finished(emission.request(), stay));
            }
        }
        begin(nowNanos);
        return finished;
    }

    private void begin(long nowNanos) {
        long stepNanos = engine.begin(nowNanos);
        stepEndNanos = stepNanos == EngineModel.NO_WORK ? IDLE : nowNanos + stepNanos;
    }
}
