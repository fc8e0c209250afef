package io.kvgate.policies;

import io.kvgate.core.worker.Worker;
import java.util.random.RandomGenerator;

/**
 * The loads of all candidates at one moment, in requests.
 *
 * <p>Threading: confined to one selection.
 */
final class LoadSpread {
    private final Candidates candidates;
    private final LoadEstimate estimate;
    private final long nowNanos;
    private final LoadEstimate.Unit unit;
    private double least = Double.POSITIVE_INFINITY;
    private double most;
    private int equals;
    private Worker first;

    /** @param candidates at least one */
    LoadSpread(Candidates candidates, LoadEstimate estimate) {
        this.candidates = candidates;
        this.estimate = estimate;
        nowNanos = estimate.nowNanos();
        unit = estimate.requestUnitOfAll(candidates, nowNanos);
        first = candidates.get(0);
        for (int i = 0; i < candidates.size(); i++) {
            Worker worker = candidates.get(i);
            double load = of(worker);
            most = Math.max(most, load);
            if (load < least) {
                least = load;
                equals = 1;
                first = worker;
            } else if (load == least) {
                equals++;
            }
        }
    }

    double least() {
        return least;
    }

    double most() {
        return most;
    }

    double of(Worker worker) {
        return estimate.of(worker, unit, nowNanos);
    }

    /** One of those with the least load, by chance. */
    Worker leastLoaded(RandomGenerator random) {
        int left = equals == 1 ? 0 : random.nextInt(equals);
        for (int i = 0; left > 0 && i < candidates.size(); i++) {
            Worker worker = candidates.get(i);
            if (worker != first && of(worker) <= least && --left == 0) {
                return worker;
            }
        }
        // The first, or loads have risen under our eyes: the first was among the least a moment ago.
        return first;
    }
}
