package io.kvgate.bench.sim.traffic;

/**
 * One request: the tokens of its prompt, and what may follow it.
 *
 * <p>Threading: immutable, as long as nobody writes into the prompt.
 */
public final class Turn {
    private final int[] prompt;
    private final int outputTokens;
    private final int turnsLeft;
    private final long pauseNanos;

    /**
     * @param prompt kept, not copied
     * @param outputTokens at least 1
     * @param turnsLeft in its conversation, after it; 0: the last
     * @param pauseNanos between the end of the answer before it and this request
     */
    Turn(int[] prompt, int outputTokens, int turnsLeft, long pauseNanos) {
        this.prompt = prompt;
        this.outputTokens = outputTokens;
        this.turnsLeft = turnsLeft;
        this.pauseNanos = pauseNanos;
    }

    /** A request that nothing follows. */
    static Turn single(int[] prompt, int outputTokens) {
        return new Turn(prompt, outputTokens, 0, 0);
    }

    /** Not to be changed. */
    public int[] prompt() {
        return prompt;
    }

    public int outputTokens() {
        return outputTokens;
    }

    int turnsLeft() {
        return turnsLeft;
    }

    public boolean last() {
        return turnsLeft == 0;
    }

    public long pauseNanos() {
        return pauseNanos;
    }
}
