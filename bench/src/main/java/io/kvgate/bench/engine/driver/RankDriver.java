package io.kvgate.bench.engine.driver;

import io.kvgate.bench.engine.model.EngineModel;
import io.kvgate.bench.engine.model.ModelStats;
import io.kvgate.bench.engine.model.SimulatedRequest;
import io.kvgate.bench.engine.model.StepResult;
import io.kvgate.core.time.Ticker;
import java.util.IdentityHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Steps one model in sped-up real time. While there is work, a step begins where the one before ended, so a late
 * timer delays tokens but doesn't slow the engine down; after a pause, a step begins at the clock's time.
 *
 * <p>Threading: confined to the event loop.
 */
final class RankDriver {
    /** Steps in a row before other tasks of the loop get a turn. */
    private static final int STEPS_PER_TURN = 64;

    private final EngineModel model;
    private final ScheduledExecutorService loop;
    private final Ticker ticker;
    private final double speedup;
    private final long originNanos;
    private final IdentityHashMap<SimulatedRequest, TokenListener> listeners = new IdentityHashMap<>();
    private @Nullable ScheduledFuture<?> timer;
    private boolean stepping;
    private boolean stopped;
    private long stepEndNanos;

    RankDriver(EngineModel model, ScheduledExecutorService loop, Ticker ticker, double speedup) {
        this.model = model;
        this.loop = loop;
        this.ticker = ticker;
        this.speedup = speedup;
        this.originNanos = ticker.nanos();
    }

    SimulatedRequest submit(String id, int[] prompt, int maxTokens, TokenListener listener) {
        SimulatedRequest request = model.submit(id, prompt, maxTokens, virtualNanos());
        listeners.put(request, listener);
        if (!stepping) {
            begin(virtualNanos());
            schedule();
        }
        return request;
    }

    boolean abort(SimulatedRequest request) {
        listeners.remove(request);
        return model.abort(request);
    }

    boolean resetPrefixCache() {
        return model.resetPrefixCache();
    }

    ModelStats stats() {
        return model.stats();
    }

    /** Forgets everything; no listener is called again. */
    void stop() {
        stopped = true;
        stepping = false;
        listeners.clear();
        ScheduledFuture<?> pending = timer;
        if (pending != null) {
            pending.cancel(false);
        }
    }

    private void begin(long atNanos) {
        long lengthNanos = model.begin(atNanos);
        stepping = lengthNanos != EngineModel.NO_WORK;
        stepEndNanos = atNanos + lengthNanos;
    }

    private void schedule() {
        if (stepping && !stopped) {
            long delayNanos = (long) Math.ceil((stepEndNanos - virtualNanos()) / speedup);
            timer = loop.schedule(this::run, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
        }
    }

    private void run() {
        for (int i = 0; i < STEPS_PER_TURN && stepping && stepEndNanos <= virtualNanos(); i++) {
            StepResult result = model.complete();
            // Begin first: what a listener submits belongs to the step after the next.
            begin(result.endNanos());
            for (StepResult.Emission emission : result.emissions()) {
                deliver(emission);
            }
        }
        schedule();
    }

    private void deliver(StepResult.Emission emission) {
        TokenListener listener =
                emission.last() ? listeners.remove(emission.request()) : listeners.get(emission.request());
        if (listener != null) {
            listener.token(emission.request(), emission.token(), emission.last());
        }
    }

    private long virtualNanos() {
        return (long) ((ticker.nanos() - originNanos) * speedup);
    }
}
