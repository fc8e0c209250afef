package io.kvgate.bench.sim.traffic;

import com.google.errorprone.annotations.Immutable;
import io.kvgate.core.random.SplitMixRandom;
import java.util.random.RandomGenerator;

/**
 * Single requests: one of some system prompts, and an end that nobody else sends.
 *
 * @param prompts drawn with equal chances; at least 1
 * @param promptTokens of each
 * @param hotShare of the requests that have one further system prompt, the same for all of them; 0 to 1
 * @param end length of what follows the system prompt
 * @param meanOutputTokens of answers
 */
public record SharedPrompts(int prompts, int promptTokens, double hotShare, End end, double meanOutputTokens)
        implements Workload {
    /** How long ends are, in tokens. */
    @Immutable
    public record End(int meanTokens, boolean fixed) {
        int draw(RandomGenerator random) {
            return fixed ? meanTokens : Workload.drawLength(meanTokens, random);
        }
    }

    /** A stream of random numbers of their own for the prompts' texts. */
    private static final long TEXT_SEED = 0x5EED_0000_0000L;

    public SharedPrompts {
        Workload.check("prompts", prompts, prompts >= 1, ">= 1");
        Workload.check("promptTokens", promptTokens, promptTokens >= 0, ">= 0");
        Workload.check("hotShare", hotShare, hotShare >= 0 && hotShare <= 1, "0 to 1");
        Workload.check("end", end, end.meanTokens >= 1, "at least one token");
        Workload.check("meanOutputTokens", meanOutputTokens, meanOutputTokens >= 1, ">= 1");
    }

    @Override
    public Turn first(RandomGenerator random) {
        boolean hot = hotShare > 0 && random.nextDouble() < hotShare;
        int index = hot ? prompts : random.nextInt(prompts);
        int[] tokens = new int[promptTokens + end.draw(random)];
        TokenText.fill(tokens, 0, promptTokens, new SplitMixRandom(TEXT_SEED + index));
        TokenText.fill(tokens, promptTokens, tokens.length, random);
        return Turn.single(tokens, Workload.drawLength(meanOutputTokens, random));
    }

    @Override
    public Turn next(Turn before, int[] answer, RandomGenerator random) {
        throw new IllegalStateException("next: called (expected: never, as all requests are the last of their kind)");
    }
}
