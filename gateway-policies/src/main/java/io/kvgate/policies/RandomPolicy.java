package io.kvgate.policies;

import io.kvgate.core.worker.Worker;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Any candidate, each as likely as another.
 *
 * <p>Threading: any thread; the generator is shared and must allow that.
 */
final class RandomPolicy implements LoadBalancingPolicy {
    private final RandomGenerator random;

    RandomPolicy(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public String name() {
        return PolicyConfig.Random.NAME;
    }

    @Override
    public @Nullable Worker select(Candidates candidates, SelectionContext context) {
        if (candidates.isEmpty()) {
            return null;
        }
        context.reason("random");
        return candidates.get(random.nextInt(candidates.size()));
    }
}
