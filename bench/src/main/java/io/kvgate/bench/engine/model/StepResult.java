package io.kvgate.bench.engine.model;

import java.util.List;

/**
 * What one engine step brought.
 *
 * @param startNanos virtual time at which it began
 * @param durationNanos its length; its tokens appear at its end
 * @param prefillTokens tokens of prompts (and of recomputed output) it computed
 * @param decodeTokens sequences that decoded one token
 * @param emissions the new tokens, at most one per request, in the order of admission
 */
public record StepResult(
        long startNanos, long durationNanos, int prefillTokens, int decodeTokens, List<Emission> emissions) {

    /** One new token of one request. */
    public record Emission(SimulatedRequest request, int token, boolean last) {}

    public StepResult {
        emissions = List.copyOf(emissions);
    }

    public long endNanos() {
        return startNanos + durationNanos;
    }

    /** The requests that ended with this step. */
    public List<SimulatedRequest> finished() {
        return emissions.stream().filter(Emission::last).map(Emission::request).toList();
    }
}
