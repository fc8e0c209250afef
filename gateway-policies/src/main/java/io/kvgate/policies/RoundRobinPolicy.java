package io.kvgate.policies;

import io.kvgate.core.worker.Worker;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The candidates in turn. The turn counts over those that may be chosen now, so it shifts when a worker comes or goes; it doesn't
 * move while there is none.
 *
 * <p>Threading: any thread; one atomic counter.
 */
final class RoundRobinPolicy implements LoadBalancingPolicy {
    private final AtomicLong turn = new AtomicLong();

    @Override
    public String name() {
        return PolicyConfig.RoundRobin.NAME;
    }

    @Override
    public @Nullable Worker select(Candidates candidates, SelectionContext context) {
        if (candidates.isEmpty()) {
            return null;
        }
        context.reason("turn");
        return candidates.get((int) Math.floorMod(turn.getAndIncrement(), (long) candidates.size()));
    }
}
