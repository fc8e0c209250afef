package io.kvgate.bench.engine.driver;

import io.kvgate.bench.engine.model.BlockPoolListener;
import io.kvgate.bench.engine.model.EngineModel;
import io.kvgate.bench.engine.model.ModelStats;
import io.kvgate.bench.engine.model.SimulatedRequest;
import io.kvgate.core.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntFunction;

/**
 * The data-parallel ranks of one engine: models with separate caches behind one door. A request without a rank goes to
 * the next one in turn. Real ranks run in lock-step; these don't.
 *
 * <p>Threading: confined to the event loop, the constructor excepted.
 */
public final class EngineRanks {
    private final RankSettings settings;
    private final ScheduledExecutorService loop;
    private final Ticker ticker;
    private final IntFunction<BlockPoolListener> listeners;
    private final List<RankDriver> drivers = new ArrayList<>();
    private int next;

    /** One request's place: the rank that computes it. */
    public record Place(int rank, SimulatedRequest request) {}

    public EngineRanks(
            RankSettings settings,
            ScheduledExecutorService loop,
            Ticker ticker,
            IntFunction<BlockPoolListener> listeners) {
        this.settings = settings;
        this.loop = loop;
        this.ticker = ticker;
        this.listeners = listeners;
        start();
    }

    public int count() {
        return settings.count();
    }

    /**
     * Submits a prompt.
     *
     * @param rank 0 to count - 1, or -1 for the next in turn
     */
    public Place submit(int rank, String id, int[] prompt, int maxTokens, TokenListener listener) {
        int chosen = rank >= 0 ? rank : next++ % drivers.size();
        return new Place(chosen, drivers.get(chosen).submit(id, prompt, maxTokens, listener));
    }

    public void abort(Place place) {
        drivers.get(place.rank()).abort(place.request());
    }

    /** Empties every cache; false when a rank refused because it is busy. */
    public boolean resetPrefixCache() {
        boolean all = true;
        for (RankDriver driver : drivers) {
            all &= driver.resetPrefixCache();
        }
        return all;
    }

    /** One reading per rank. */
    public List<ModelStats> stats() {
        return drivers.stream().map(RankDriver::stats).toList();
    }

    /** Forgets all requests, caches and counts, as a process that died and came back. */
    public void restart() {
        stop();
        start();
    }

    /** Forgets all requests; nothing is computed any more. */
    public void stop() {
        drivers.forEach(RankDriver::stop);
        drivers.clear();
    }

    private void start() {
        next = 0;
        for (int rank = 0; rank < settings.count(); rank++) {
            EngineModel model = new EngineModel(settings.profile(), listeners.apply(rank), settings.seed());
            drivers.add(new RankDriver(model, loop, ticker, settings.speedup()));
        }
    }
}
