package io.kvgate.policies;

import io.kvgate.core.worker.Worker;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;

/** The candidate with the least of something; among equals chance decides. */
final class FewestOf {
    private FewestOf() {}

    /** @param candidates at least one */
    static Worker among(Candidates candidates, ToIntFunction<Worker> measure, RandomGenerator random) {
        Worker best = candidates.get(0);
        int least = measure.applyAsInt(best);
        int equals = 1;
        for (int i = 1; i < candidates.size(); i++) {
            Worker worker = candidates.get(i);
            int value = measure.applyAsInt(worker);
            // The n-th equal one takes the place of those before with chance 1/n, which is fair to all, in one pass.
            if (value < least) {
                best = worker;
                least = value;
                equals = 1;
            } else if (value == least && random.nextInt(++equals) == 0) {
                best = worker;
            }
        }
        return best;
    }
}
