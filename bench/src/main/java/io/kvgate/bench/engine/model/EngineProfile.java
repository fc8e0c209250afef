package io.kvgate.bench.engine.model;

/**
 * The constants of one engine: step costs, size of the KV pool and limits of the scheduler.
 *
 * @param name short name for reports
 * @param blockSizeTokens tokens in one KV block
 * @param totalBlocks blocks of the pool including the null block, so one more than can be used
 * @param maxBatchedTokens most tokens one step may compute
 * @param maxSequences most requests that run at a time
 * @param maxModelTokens longest prompt plus output of a request; never more than the pool holds
 */
public record EngineProfile(
        String name,
        StepCosts costs,
        int blockSizeTokens,
        int totalBlocks,
        int maxBatchedTokens,
        int maxSequences,
        int maxModelTokens) {

    private static final int BLOCK_SIZE = 16;
    private static final int BATCHED_TOKENS = 8_192;
    private static final int SEQUENCES = 256;
    private static final int MODEL_TOKENS = 131_072;

    public EngineProfile {
        atLeast("blockSizeTokens", blockSizeTokens, 1);
        atLeast("totalBlocks", totalBlocks, 2);
        atLeast("maxBatchedTokens", maxBatchedTokens, 1);
        atLeast("maxSequences", maxSequences, 1);
        atLeast("maxModelTokens", maxModelTokens, 1);
        if (maxModelTokens > poolTokens(totalBlocks, blockSizeTokens)) {
            throw new IllegalArgumentException("maxModelTokens: " + maxModelTokens + " (expected: <= "
                    + poolTokens(totalBlocks, blockSizeTokens) + ", the tokens the pool holds)");
        }
    }

    /** Llama-3-8B, bf16, on one H100: 428,569 tokens of KV memory, in blocks of 16. */
    public static EngineProfile llama8b() {
        StepCosts costs = StepCosts.of(8.03e9, 32L * 32 * 128, 131_072, 1);
        return new EngineProfile(
                "llama-3-8b", costs, BLOCK_SIZE, 428_569 / BLOCK_SIZE, BATCHED_TOKENS, SEQUENCES, MODEL_TOKENS);
    }

    /** Llama-3-70B, bf16, on eight H100 with tensor parallelism: 1,332,954 tokens of KV memory. */
    public static EngineProfile llama70b() {
        StepCosts costs = StepCosts.of(70.55e9, 80L * 64 * 128, 327_680, 8);
        return new EngineProfile(
                "llama-3-70b", costs, BLOCK_SIZE, 1_332_954 / BLOCK_SIZE, BATCHED_TOKENS, SEQUENCES, MODEL_TOKENS);
    }

    /** The same engine with another pool; the longest request shrinks if the pool no longer holds it. */
    public EngineProfile withPool(int blocks, int tokensPerBlock) {
        atLeast("blocks", blocks, 2);
        atLeast("tokensPerBlock", tokensPerBlock, 1);
        int longest = (int) Math.min(maxModelTokens, poolTokens(blocks, tokensPerBlock));
        return new EngineProfile(name, costs, tokensPerBlock, blocks, maxBatchedTokens, maxSequences, longest);
    }

    /** The same engine with other limits of the scheduler. */
    public EngineProfile withLimits(int batchedTokens, int sequences) {
        return new EngineProfile(name, costs, blockSizeTokens, totalBlocks, batchedTokens, sequences, maxModelTokens);
    }

    /** The same engine with other step costs. */
    public EngineProfile withCosts(StepCosts otherCosts) {
        return new EngineProfile(
                name, otherCosts, blockSizeTokens, totalBlocks, maxBatchedTokens, maxSequences, maxModelTokens);
    }

    /** Tokens that the usable blocks hold. */
    public long poolTokens() {
        return poolTokens(totalBlocks, blockSizeTokens);
    }

    private static long poolTokens(int blocks, int tokensPerBlock) {
        return (blocks - 1L) * tokensPerBlock;
    }

    private static void atLeast(String field, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(field + ": " + value + " (expected: >= " + least + ")");
        }
    }
}
