package io.kvgate.bench.engine.model;

import java.util.ArrayList;
import java.util.List;

/**
 * One request inside an {@link EngineModel}: its tokens, its blocks and how far it got. Times are virtual nanoseconds
 * of the model's caller; a time that has not come yet is -1.
 *
 * <p>Threading: confined to the owner of the model.
 */
public final class SimulatedRequest {

    /** Where a request stands. A preempted request is waiting again. */
    public enum State {
        WAITING,
        RUNNING,
        FINISHED,
        ABORTED
    }

    final TokenSequence sequence;
    final List<Block> blocks = new ArrayList<>();
    /** Decides the output tokens, so that equal prompts give equal answers. */
    final long outputSeed;

    State state = State.WAITING;
    /** Tokens whose keys and values are there, cached ones included. */
    int computedTokens;
    /** Leading blocks that are in the prefix cache. */
    int registeredBlocks;
    /** Tokens that the step in progress computes. */
    int scheduledTokens;

    int emittedTokens;
    int cachedTokens = -1;
    int preemptions;
    long firstTokenNanos = -1;
    long finishedNanos = -1;

    private final String id;
    private final int promptTokens;
    private final int maxOutputTokens;
    private final long arrivalNanos;

    SimulatedRequest(String id, TokenSequence sequence, int maxOutputTokens, long arrivalNanos, long seed) {
        this.id = id;
        this.sequence = sequence;
        this.promptTokens = sequence.size();
        this.maxOutputTokens = maxOutputTokens;
        this.arrivalNanos = arrivalNanos;
        this.outputSeed = TokenSequence.mix(seed ^ sequence.fingerprint());
    }

    public String id() {
        return id;
    }

    public State state() {
        return state;
    }

    public int promptTokens() {
        return promptTokens;
    }

    public int maxOutputTokens() {
        return maxOutputTokens;
    }

    /** Output tokens so far. */
    public int emittedTokens() {
        return emittedTokens;
    }

    /** Prompt tokens that the prefix cache had at the first admission; 0 while it waits for that. */
    public int cachedTokens() {
        return Math.max(0, cachedTokens);
    }

    /** How often its blocks were taken away in favour of older requests. */
    public int preemptions() {
        return preemptions;
    }

    public long arrivalNanos() {
        return arrivalNanos;
    }

    public long firstTokenNanos() {
        return firstTokenNanos;
    }

    public long finishedNanos() {
        return finishedNanos;
    }

    boolean over() {
        return state == State.FINISHED || state == State.ABORTED;
    }

    boolean decoding() {
        return emittedTokens > 0 && sequence.size() - computedTokens == 1;
    }
}
