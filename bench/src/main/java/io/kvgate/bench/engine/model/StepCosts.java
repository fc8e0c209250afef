package io.kvgate.bench.engine.model;

/**
 * What one engine step costs, as five constants of a model on its GPUs.
 *
 * <p>A step is either bound by arithmetic (long prompts) or by reading the weights (few tokens), whichever is
 * longer, plus reading the keys and values of the sequences that decode. Utilization is taken as 40 % of the peak
 * 989 TFLOP/s for arithmetic and 80 % of 3.35 TB/s for memory. Communication between GPUs is ignored.
 *
 * @param linearNanosPerToken arithmetic of the weights, per token
 * @param attentionNanosPerTokenContext arithmetic of attention, per new token and token of context
 * @param weightReadNanos shortest possible step: one read of all weights
 * @param kvReadNanosPerContextToken memory read of decoding, per token of context
 * @param overheadNanos added to every step (CPU work)
 */
public record StepCosts(
        double linearNanosPerToken,
        double attentionNanosPerTokenContext,
        double weightReadNanos,
        double kvReadNanosPerContextToken,
        double overheadNanos) {

    private static final double NANOS = 1e9;
    private static final double USED_FLOPS = 0.4 * 989e12;
    private static final double USED_BYTES = 0.8 * 3.35e12;

    public StepCosts {
        if (!(linearNanosPerToken > 0) || !(weightReadNanos > 0)) {
            throw new IllegalArgumentException("linearNanosPerToken, weightReadNanos: " + linearNanosPerToken + ", "
                    + weightReadNanos + " (expected: > 0)");
        }
        if (!(attentionNanosPerTokenContext >= 0) || !(kvReadNanosPerContextToken >= 0) || !(overheadNanos >= 0)) {
            throw new IllegalArgumentException("attentionNanosPerTokenContext, kvReadNanosPerContextToken,"
                    + " overheadNanos: a negative value (expected: >= 0)");
        }
    }

    /**
     * Derives the constants from a model's dimensions, 2 bytes per parameter.
     *
     * @param attentionWidth layers x heads x head dimension
     * @param kvBytesPerToken keys and values of one token, all layers
     */
    public static StepCosts of(double parameters, long attentionWidth, long kvBytesPerToken, int gpus) {
        return new StepCosts(
                NANOS * 2 * parameters / (USED_FLOPS * gpus),
                NANOS * 4 * attentionWidth / (USED_FLOPS * gpus),
                NANOS * 2 * parameters / (USED_BYTES * gpus),
                NANOS * kvBytesPerToken / (USED_BYTES * gpus),
                0);
    }

    /** The same costs with another fixed overhead. */
    public StepCosts withOverheadNanos(double nanos) {
        return new StepCosts(
                linearNanosPerToken, attentionNanosPerTokenContext, weightReadNanos, kvReadNanosPerContextToken, nanos);
    }

    /** Arithmetic of prefilling {@code newTokens} on top of {@code contextTokens} that are already there. */
    public double prefillNanos(int newTokens, int contextTokens) {
        return linearNanosPerToken * newTokens
                + attentionNanosPerTokenContext * newTokens * (contextTokens + (newTokens - 1) / 2.0);
    }

    /**
     * The length of a step.
     *
     * @param prefillNanos sum of {@link #prefillNanos} over the chunks
     * @param decodes sequences that decode one token
     * @param decodeContextTokens sum of the contexts of those sequences
     */
    public long stepNanos(double prefillNanos, int decodes, long decodeContextTokens) {
        double compute = prefillNanos + linearNanosPerToken * decodes;
        double total =
                Math.max(weightReadNanos, compute) + kvReadNanosPerContextToken * decodeContextTokens + overheadNanos;
        return Math.max(1, Math.round(total));
    }
}
