package io.kvgate.policies;

import io.kvgate.core.worker.Worker;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The least loaded of all candidates; load is a {@link LoadEstimate}. Among equals chance decides, so that an idle fleet is used
 * evenly and several gateways do not all begin with the same worker.
 *
 * <p>Threading: any thread; the generator is shared and must allow that.
 */
final class LeastLoadPolicy implements LoadBalancingPolicy {
    private final RandomGenerator random;
    private final LoadEstimate estimate;

    LeastLoadPolicy(RandomGenerator random, LoadEstimate estimate) {
        this.random = random;
        this.estimate = estimate;
    }

    @Override
    public String name() {
        return PolicyConfig.LeastLoad.NAME;
    }

    @Override
    public @Nullable Worker select(Candidates candidates, SelectionContext context) {
        int size = candidates.size();
        if (size == 0) {
            return null;
        }
        if (size == 1) {
            context.reason("only_candidate");
            return candidates.get(0);
        }
        long nowNanos = estimate.nowNanos();
        LoadEstimate.Unit unit = estimate.unitOfAll(candidates, nowNanos);
        double least = Double.POSITIVE_INFINITY;
        int equals = 0;
        Worker best = candidates.get(0);
        for (int i = 0; i < size; i++) {
            Worker worker = candidates.get(i);
            double load = estimate.of(worker, unit, nowNanos);
            if (load < least) {
                least = load;
                equals = 1;
                best = worker;
            } else if (load == least) {
                equals++;
            }
        }
        if (equals == 1) {
            context.reason(unit.reason());
            return best;
        }
        context.reason("tie");
        return oneOf(candidates, unit, nowNanos, least, equals, best);
    }

    /** A second pass finds the drawn one, so that nothing is kept per request and chance is asked once. */
    private Worker oneOf(
            Candidates candidates, LoadEstimate.Unit unit, long nowNanos, double least, int equals, Worker best) {
        int left = random.nextInt(equals);
        for (int i = 0; i < candidates.size(); i++) {
            Worker worker = candidates.get(i);
            if (estimate.of(worker, unit, nowNanos) <= least && left-- == 0) {
                return worker;
            }
        }
        // Loads have risen under our eyes; the one found first was among the least a moment ago.
        return best;
    }
}
