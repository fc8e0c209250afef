package io.kvgate.bench.sim.traffic;

import io.kvgate.core.random.SplitMixRandom;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Conversations of several turns: a system prompt that all share, a long beginning of their own, and with each turn all that was said
 * before. A client reads and writes before it goes on, for a time with exponential distribution.
 *
 * @param sharedTokens of the system prompt
 * @param medianOwnTokens of the beginning; log-normal with a sigma of 0.8, at most {@value #MAX_OWN_TOKENS}
 * @param turnTokens that the user adds with each turn; at least 1
 * @param outputTokens of each answer; at least 1
 * @param meanTurns of a conversation; at most {@value #MAX_TURNS} of them
 * @param meanPauseSeconds between an answer and the next turn
 */
public record Conversations(
        int sharedTokens,
        int medianOwnTokens,
        int turnTokens,
        int outputTokens,
        double meanTurns,
        double meanPauseSeconds)
        implements Workload {
    private static final int MAX_OWN_TOKENS = 30_000;
    private static final int MAX_TURNS = 40;
    private static final double SIGMA = 0.8;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long TEXT_SEED = 0x5EED_FFFF_0000L;

    public Conversations {
        Workload.check("sharedTokens", sharedTokens, sharedTokens >= 0, ">= 0");
        Workload.check("medianOwnTokens", medianOwnTokens, medianOwnTokens >= 0, ">= 0");
        Workload.check("turnTokens", turnTokens, turnTokens >= 1, ">= 1");
        Workload.check("outputTokens", outputTokens, outputTokens >= 1, ">= 1");
        Workload.check("meanTurns", meanTurns, meanTurns > 0, "> 0");
        Workload.check("meanPauseSeconds", meanPauseSeconds, meanPauseSeconds >= 0, ">= 0");
    }

    @Override
    public Turn first(RandomGenerator random) {
        int own = (int) Math.min(MAX_OWN_TOKENS, medianOwnTokens * Math.exp(SIGMA * random.nextGaussian()));
        int[] tokens = new int[sharedTokens + own + turnTokens];
        TokenText.fill(tokens, 0, sharedTokens, new SplitMixRandom(TEXT_SEED));
        TokenText.fill(tokens, sharedTokens, tokens.length, random);
        int turns = Math.min(MAX_TURNS, Workload.drawLength(meanTurns, random));
        return new Turn(tokens, outputTokens, turns - 1, 0);
    }

    @Override
    public Turn next(Turn before, int[] answer, RandomGenerator random) {
        int[] said = before.prompt();
        int[] tokens = Arrays.copyOf(said, said.length + answer.length + turnTokens);
        System.arraycopy(answer, 0, tokens, said.length, answer.length);
        TokenText.fill(tokens, said.length + answer.length, tokens.length, random);
        long pauseNanos = (long) (meanPauseSeconds * NANOS_PER_SECOND * random.nextExponential());
        return new Turn(tokens, outputTokens, before.turnsLeft() - 1, pauseNanos);
    }
}
