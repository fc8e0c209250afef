package io.kvgate.bench.engine.model;

/**
 * A reading of an engine's gauges and of its counters since it started.
 *
 * @param running requests in the running batch
 * @param waiting requests not admitted, preempted ones included
 * @param usedBlocks blocks held by requests
 * @param usableBlocks all blocks a request could hold
 * @param usedTokens tokens whose keys and values running requests hold
 * @param waitingTokens prompt tokens of waiting requests
 * @param promptTokensTotal prompt tokens of admitted requests, cached ones included
 * @param generatedTokensTotal output tokens
 * @param cacheQueryTokensTotal tokens looked up in the prefix cache at first admissions
 * @param cacheHitTokensTotal tokens found there
 */
public record ModelStats(
        int running,
        int waiting,
        int usedBlocks,
        int usableBlocks,
        long usedTokens,
        long waitingTokens,
        long promptTokensTotal,
        long generatedTokensTotal,
        long cacheQueryTokensTotal,
        long cacheHitTokensTotal,
        long preemptionsTotal,
        long finishedTotal,
        long abortedTotal) {

    /** Share of the usable blocks that requests hold, 0 to 1. */
    public double usage() {
        return (double) usedBlocks / usableBlocks;
    }

    /** Share of looked-up tokens that were cached, 0 to 1; 0 before the first look-up. */
    public double hitRatio() {
        return cacheQueryTokensTotal == 0 ? 0 : (double) cacheHitTokensTotal / cacheQueryTokensTotal;
    }
}
