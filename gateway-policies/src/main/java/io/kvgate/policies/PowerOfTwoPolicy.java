package io.kvgate.policies;

import io.kvgate.core.worker.Worker;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The less loaded of two candidates drawn at random. Load is a {@link LoadEstimate}; equal ones fall to the first drawn, which is
 * as good as chance.
 *
 * <p>Threading: any thread; the generator is shared and must allow that.
 */
final class PowerOfTwoPolicy implements LoadBalancingPolicy {
    private final RandomGenerator random;
    private final LoadEstimate estimate;

    PowerOfTwoPolicy(RandomGenerator random, LoadEstimate estimate) {
        this.random = random;
        this.estimate = estimate;
    }

    @Override
    public String name() {
        return PolicyConfig.PowerOfTwo.NAME;
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
        int i = random.nextInt(size);
        int j = (i + 1 + random.nextInt(size - 1)) % size;
        Worker first = candidates.get(i);
        Worker second = candidates.get(j);
        long nowNanos = estimate.nowNanos();
        LoadEstimate.Unit unit = estimate.unitOf(first, second, nowNanos);
        double ofFirst = estimate.of(first, unit, nowNanos);
        double ofSecond = estimate.of(second, unit, nowNanos);
        context.reason(ofFirst == ofSecond ? "tie" : unit.reason());
        return ofSecond < ofFirst ? second : first;
    }
}
