package io.kvgate.bench.engine.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * One engine in virtual time: a queue, a running batch, the KV pool and a step loop.
 *
 * <p>Each step spends a budget of tokens: first on the running requests in the order of their admission (one token
 * when they decode, the next chunk of the prompt otherwise), then on waiting requests, first come first served. A
 * waiting request is admitted when the blocks of its next chunk can be had; the cache is looked up at that moment,
 * not at arrival. At least one token of a prompt is always computed. When a running request can get no block, the
 * last admitted one loses all of its blocks and goes to the head of the queue; nothing is admitted in that step.
 * Blocks enter the cache when they are allocated, before their content is computed, so two requests with one prefix
 * share it even inside one step. The rules are vLLM's.
 *
 * <p>A step has two moments, {@link #begin} and {@link #complete}, because an engine answers questions about its load
 * in between. {@link #step} does both for a caller that needs no such view.
 *
 * <p>Threading: confined; one thread at a time, no clock, no callbacks besides the {@link BlockPoolListener}.
 */
public final class EngineModel {
    /** What {@link #begin} answers when no request can be computed. */
    public static final long NO_WORK = -1;

    private final EngineProfile profile;
    private final BlockPool pool;
    private final long seed;
    private final Deque<SimulatedRequest> waiting = new ArrayDeque<>();
    private final List<SimulatedRequest> running = new ArrayList<>();
    private final List<SimulatedRequest> batch = new ArrayList<>();

    private boolean inStep;
    private boolean preempted;
    private long stepStartNanos;
    private long stepNanos;
    private int budgetTokens;
    private int decodes;
    private int prefillTokens;
    private long decodeContextTokens;
    private double prefillNanos;

    private long promptTokensTotal;
    private long generatedTokensTotal;
    private long cacheQueryTokensTotal;
    private long cacheHitTokensTotal;
    private long preemptionsTotal;
    private long finishedTotal;
    private long abortedTotal;

    public EngineModel(EngineProfile profile, BlockPoolListener listener, long seed) {
        this.profile = profile;
        this.pool = new BlockPool(profile.totalBlocks(), listener);
        this.seed = seed;
    }

    public EngineProfile profile() {
        return profile;
    }

    /**
     * Puts a request at the end of the queue.
     *
     * @param prompt token ids, at least one; copied
     * @param maxOutputTokens at least 1; the request ends exactly there
     * @throws IllegalArgumentException when the request can never fit
     */
    public SimulatedRequest submit(String id, int[] prompt, int maxOutputTokens, long nowNanos) {
        if (prompt.length == 0) {
            throw new IllegalArgumentException("prompt: empty (expected: at least one token)");
        }
        if (maxOutputTokens < 1 || prompt.length + (long) maxOutputTokens > profile.maxModelTokens()) {
            throw new IllegalArgumentException("maxOutputTokens: " + maxOutputTokens + " after " + prompt.length
                    + " prompt tokens (expected: 1 or more, together at most " + profile.maxModelTokens() + ")");
        }
        TokenSequence sequence = new TokenSequence(prompt, profile.blockSizeTokens(), maxOutputTokens);
        SimulatedRequest request = new SimulatedRequest(id, sequence, maxOutputTokens, nowNanos, seed);
        waiting.addLast(request);
        return request;
    }

    /** Ends a request early. Its blocks come back at once, or with the end of the step that computes it. */
    public boolean abort(SimulatedRequest request) {
        if (request.over()) {
            return false;
        }
        if (request.state == SimulatedRequest.State.WAITING) {
            waiting.remove(request);
        } else {
            running.remove(request);
            boolean computing = inStep && batch.contains(request);
            if (!computing) {
                pool.release(request.blocks);
            }
        }
        request.state = SimulatedRequest.State.ABORTED;
        abortedTotal++;
        return true;
    }

    public boolean hasWork() {
        return !waiting.isEmpty() || !running.isEmpty();
    }

    /** Empties the prefix cache; refused, with false, while any request holds blocks. */
    public boolean resetPrefixCache() {
        return pool.reset();
    }

    /** Schedules a step at this time and answers its length in nanoseconds, or {@link #NO_WORK}. */
    public long begin(long nowNanos) {
        if (inStep) {
            throw new IllegalStateException("begin: a step is in progress (expected: complete() first)");
        }
        clearStep();
        scheduleRunning();
        if (!preempted) {
            scheduleWaiting();
        }
        if (batch.isEmpty()) {
            return NO_WORK;
        }
        inStep = true;
        stepStartNanos = nowNanos;
        stepNanos = profile.costs().stepNanos(prefillNanos, decodes, decodeContextTokens);
        return stepNanos;
    }

    /** Ends the step in progress: its tokens appear, finished requests give their blocks back. */
    public StepResult complete() {
        if (!inStep) {
            throw new IllegalStateException("complete: no step in progress (expected: begin() first)");
        }
        inStep = false;
        List<StepResult.Emission> emissions = new ArrayList<>(batch.size());
        for (SimulatedRequest request : batch) {
            if (request.state == SimulatedRequest.State.ABORTED) {
                pool.release(request.blocks);
                continue;
            }
            request.computedTokens += request.scheduledTokens;
            if (request.computedTokens == request.sequence.size()) {
                emissions.add(emit(request, stepStartNanos + stepNanos));
            }
        }
        running.removeIf(SimulatedRequest::over);
        return new StepResult(stepStartNanos, stepNanos, prefillTokens, decodes, emissions);
    }

    /** One whole step from {@code nowNanos}; its result is due at its end. Call only when {@link #hasWork}. */
    public StepResult step(long nowNanos) {
        if (begin(nowNanos) == NO_WORK) {
            throw new IllegalStateException("step: nothing to do (expected: a submitted request)");
        }
        return complete();
    }

    public ModelStats stats() {
        long usedTokens = 0;
        for (SimulatedRequest request : running) {
            usedTokens += request.computedTokens;
        }
        long waitingTokens = 0;
        for (SimulatedRequest request : waiting) {
            waitingTokens += request.sequence.size();
        }
        return new ModelStats(
                running.size(),
                waiting.size(),
                pool.usedBlocks(),
                pool.usableBlocks(),
                usedTokens,
                waitingTokens,
                promptTokensTotal,
                generatedTokensTotal,
                cacheQueryTokensTotal,
                cacheHitTokensTotal,
                preemptionsTotal,
                finishedTotal,
                abortedTotal);
    }

    BlockPool pool() {
        return pool;
    }

    private void clearStep() {
        batch.clear();
        preempted = false;
        budgetTokens = profile.maxBatchedTokens();
        decodes = 0;
        prefillTokens = 0;
        decodeContextTokens = 0;
        prefillNanos = 0;
    }

    private void scheduleRunning() {
        for (int i = 0; i < running.size() && budgetTokens > 0; i++) {
            SimulatedRequest request = running.get(i);
            int tokens = Math.min(request.sequence.size() - request.computedTokens, budgetTokens);
            // The victim stands behind i or is i itself, so it is never in this step's batch already.
            while (request.state == SimulatedRequest.State.RUNNING && !grow(request, tokens)) {
                preempt(running.remove(running.size() - 1));
            }
            if (request.state == SimulatedRequest.State.RUNNING) {
                addToBatch(request, tokens);
            }
        }
    }

    private void scheduleWaiting() {
        while (budgetTokens > 0 && running.size() < profile.maxSequences()) {
            SimulatedRequest request = waiting.peekFirst();
            if (request == null || !admit(request)) {
                return;
            }
            waiting.removeFirst();
            running.add(request);
        }
    }

    private boolean admit(SimulatedRequest request) {
        int size = request.sequence.size();
        List<Block> hits = pool.findPrefix(request.sequence, (size - 1) / profile.blockSizeTokens());
        int cached = hits.size() * profile.blockSizeTokens();
        int tokens = Math.min(size - cached, budgetTokens);
        if (!pool.canAllocate(blocksFor(cached + tokens) - hits.size(), hits)) {
            return false;
        }
        pool.touch(hits);
        request.blocks.addAll(hits);
        request.registeredBlocks = hits.size();
        request.computedTokens = cached;
        request.state = SimulatedRequest.State.RUNNING;
        if (request.cachedTokens < 0) {
            request.cachedTokens = cached;
            promptTokensTotal += size;
            cacheQueryTokensTotal += size;
            cacheHitTokensTotal += cached;
        }
        boolean grown = grow(request, tokens);
        assert grown;
        addToBatch(request, tokens);
        return true;
    }

    /** Gets the blocks for the next tokens and registers those that become full; false when there are too few. */
    private boolean grow(SimulatedRequest request, int tokens) {
        int end = request.computedTokens + tokens;
        int missing = blocksFor(end) - request.blocks.size();
        if (missing > pool.freeBlocks()) {
            return false;
        }
        if (missing > 0) {
            pool.allocate(missing, request.blocks);
        }
        int full = end / profile.blockSizeTokens();
        if (full > request.registeredBlocks) {
            pool.register(request.sequence, request.blocks, request.registeredBlocks, full);
            request.registeredBlocks = full;
        }
        return true;
    }

    private void addToBatch(SimulatedRequest request, int tokens) {
        if (request.decoding()) {
            decodes++;
            decodeContextTokens += request.computedTokens;
        } else {
            prefillTokens += tokens;
            prefillNanos += profile.costs().prefillNanos(tokens, request.computedTokens);
        }
        request.scheduledTokens = tokens;
        budgetTokens -= tokens;
        batch.add(request);
    }

    private void preempt(SimulatedRequest request) {
        pool.release(request.blocks);
        request.computedTokens = 0;
        request.registeredBlocks = 0;
        request.preemptions++;
        request.state = SimulatedRequest.State.WAITING;
        waiting.addFirst(request);
        preempted = true;
        preemptionsTotal++;
    }

    private StepResult.Emission emit(SimulatedRequest request, long nowNanos) {
        int token = OutputTokens.token(request.outputSeed, request.emittedTokens);
        request.sequence.append(token);
        request.emittedTokens++;
        generatedTokensTotal++;
        if (request.firstTokenNanos < 0) {
            request.firstTokenNanos = nowNanos;
        }
        boolean last = request.emittedTokens == request.maxOutputTokens();
        if (last) {
            request.finishedNanos = nowNanos;
            request.state = SimulatedRequest.State.FINISHED;
            pool.release(request.blocks);
            finishedTotal++;
        }
        return new StepResult.Emission(request, token, last);
    }

    private int blocksFor(int tokens) {
        return (tokens + profile.blockSizeTokens() - 1) / profile.blockSizeTokens();
    }
}
