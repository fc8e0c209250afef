package io.kvgate.kvevents.sync;

import io.kvgate.core.cache.CacheTrust;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Decides, for one source, what to do with each message, each replay and each silence, so that the picture never shows what the engine
 * does not hold: batches are applied in order and once; a batch that is gone for good may have been a removal, so the picture is emptied
 * and goes on behind it; a number that doesn't fit its payload means another life of the engine. What is applied to an empty picture
 * from any moment on is a subset of the truth, which makes emptying always safe.
 *
 * <pre>
 *   WAITING --connected--> SYNCING --caught up--> LIVE --gap, reconnect, silence--> CATCHING_UP --caught up--> LIVE
 *      ^                                                                                 |
 *      +------------- queue full, no answer (after a pause: SYNCING) -------------------+
 * </pre>
 *
 * <p>Threading: confined to one thread. Time comes with each call, in nanoseconds of one ticker.
 */
public final class SourceSync {
    /** Where a source is. */
    public enum State {
        /** Not connected, or given up for a while: live messages are dropped. */
        WAITING,
        /** Rebuilding from nothing, from as far back as the source has kept. */
        SYNCING,
        /** Asking for what came after the last applied batch, that one included to see that it is still the same. */
        CATCHING_UP,
        /** Each message is applied as it comes. */
        LIVE
    }

    @SuppressWarnings("ArrayRecordComponent") // handed on as it came
    private record Message(long sequence, byte[] payload) {}

    private static final long NONE = -1;

    private final SyncActions actions;
    private final SyncLimits limits;
    private final boolean hasReplay;
    private final PayloadDigests digests = new PayloadDigests();
    private final Deque<Message> queue = new ArrayDeque<>();
    private long queuedBytes;
    private State state = State.WAITING;
    private CacheTrust trust = CacheTrust.NONE;
    private long last = NONE;
    private long epoch;
    private long gaps;
    private boolean connected;
    private boolean replayBegun;
    /** How often what comes after {@link #askedAfter} was asked for without any of it coming. */
    private int rounds;

    private long askedAfter = NONE;
    private int failures;
    private long retryAtNanos;
    private boolean retryPlanned;
    private long quietSinceNanos;

    /** @param hasReplay whether the source has a replay endpoint */
    public SourceSync(SyncActions actions, SyncLimits limits, boolean hasReplay) {
        this.actions = actions;
        this.limits = limits;
        this.hasReplay = hasReplay;
    }

    public State state() {
        return state;
    }

    public CacheTrust trust() {
        return trust;
    }

    /** The last batch in the picture, as an unsigned number; −1: none. */
    public long lastSequence() {
        return last;
    }

    /** Lives of the engine that were told apart so far, minus one. */
    public long epoch() {
        return epoch;
    }

    /** Gaps seen so far. */
    public long gaps() {
        return gaps;
    }

    public int queuedMessages() {
        return queue.size();
    }

    // ------------------------------------------------------------- from the transport

    /** The connection to the source stands (again). */
    public void onConnected(long nowNanos) {
        connected = true;
        quietSinceNanos = nowNanos;
        if (!hasReplay) {
            become(State.LIVE);
        } else if (last == NONE) {
            startOver(nowNanos);
        } else {
            catchUp(nowNanos);
        }
    }

    /** The connection broke: what the source says meanwhile is lost. */
    public void onDisconnected(long nowNanos) {
        connected = false;
        quietSinceNanos = nowNanos;
        dropQueue();
        if (!hasReplay) {
            forget("disconnected");
        }
        become(State.WAITING);
    }

    /** A message from the live stream. */
    public void onLive(long sequence, byte[] payload, long nowNanos) {
        quietSinceNanos = nowNanos;
        switch (state) {
            case WAITING -> {
                // Lost on purpose: whoever waits will rebuild from the source's own memory.
            }
            case SYNCING, CATCHING_UP -> enqueue(new Message(sequence, payload), nowNanos);
            case LIVE -> take(sequence, payload, nowNanos);
        }
    }

    /** A batch out of the source's memory; in order, but some may be missing. */
    public void onReplayed(long sequence, byte[] payload, long nowNanos) {
        if (state == State.CATCHING_UP && !replayBegun) {
            replayBegun = true;
            if (sequence != last || !digests.isKnown(sequence, payload)) {
                // Another life of the engine, or a memory that doesn't reach back: the picture may show what is gone.
                newEpoch("epoch", nowNanos);
            }
            return;
        }
        if (state != State.SYNCING && state != State.CATCHING_UP) {
            return;
        }
        replayBegun = true;
        boolean first = last == NONE;
        if (first || sequence == last + 1) {
            apply(sequence, payload);
        } else if (Long.compareUnsigned(sequence, last) > 0) {
            hole(sequence, payload, nowNanos);
        }
    }

    /** The replay has ended, by its marker or by silence after some replies. */
    public void onReplayEnd(long nowNanos) {
        if (state != State.SYNCING && state != State.CATCHING_UP) {
            return;
        }
        failures = 0;
        if (state == State.CATCHING_UP && !replayBegun) {
            // It knows nothing of what it said last: it has forgotten, or is another.
            newEpoch("forgotten", nowNanos);
            return;
        }
        drain(nowNanos);
    }

    /** The source did not answer a request for a replay at all. */
    public void onReplayFailed(long nowNanos) {
        if (state != State.SYNCING && state != State.CATCHING_UP) {
            return;
        }
        failures++;
        if (failures < limits.replayRounds()) {
            plan(nowNanos);
            return;
        }
        // It does without: what is queued is applied to nothing, which is safe.
        forget("no_replay");
        liveFromQueue(nowNanos);
    }

    /** Lets time pass. */
    public void onTick(long nowNanos) {
        if (retryPlanned && nowNanos - retryAtNanos >= 0) {
            retryPlanned = false;
            if (connected && state != State.LIVE) {
                resume(nowNanos);
            }
        }
        boolean silent = nowNanos - quietSinceNanos >= limits.idleProbe().toNanos();
        if (state == State.LIVE && hasReplay && silent) {
            quietSinceNanos = nowNanos;
            resume(nowNanos);
        }
    }

    // ------------------------------------------------------------- decisions

    private void take(long sequence, byte[] payload, long nowNanos) {
        if (last == NONE || sequence == last + 1) {
            apply(sequence, payload);
        } else if (Long.compareUnsigned(sequence, last) > 0) {
            gaps++;
            if (hasReplay) {
                enqueue(new Message(sequence, payload), nowNanos);
                catchUp(nowNanos);
            } else {
                forget("gap");
                apply(sequence, payload);
            }
        } else if (!digests.isKnown(sequence, payload)) {
            restarted(sequence, payload, nowNanos);
        }
    }

    /** A number of the past with another payload: the engine counts from the beginning again. */
    private void restarted(long sequence, byte[] payload, long nowNanos) {
        if (hasReplay) {
            enqueue(new Message(sequence, payload), nowNanos);
            newEpoch("restart", nowNanos);
        } else {
            epoch++;
            forget("restart");
            apply(sequence, payload);
        }
    }

    /** The source's memory lacks what comes after the last batch. Asked for again a few times, then given up. */
    private void hole(long sequence, byte[] payload, long nowNanos) {
        if (mayAskAgain()) {
            gaps++;
            catchUp(nowNanos);
        } else {
            forget("hole");
            apply(sequence, payload);
        }
    }

    private boolean mayAskAgain() {
        return last != askedAfter || rounds < limits.replayRounds();
    }

    private void apply(long sequence, byte[] payload) {
        last = sequence;
        digests.add(sequence, payload);
        if (!actions.apply(sequence, payload)) {
            // It may have held a removal, so it is a hole like any other.
            actions.clear("malformed");
        }
    }

    private void startOver(long nowNanos) {
        become(State.SYNCING);
        replayBegun = false;
        quietSinceNanos = nowNanos;
        actions.requestReplay(0);
    }

    private void catchUp(long nowNanos) {
        rounds = last == askedAfter ? rounds + 1 : 1;
        askedAfter = last;
        become(State.CATCHING_UP);
        replayBegun = false;
        quietSinceNanos = nowNanos;
        actions.requestReplay(last);
    }

    private void resume(long nowNanos) {
        if (last == NONE) {
            startOver(nowNanos);
        } else {
            catchUp(nowNanos);
        }
    }

    private void newEpoch(String reason, long nowNanos) {
        epoch++;
        forget(reason);
        startOver(nowNanos);
    }

    private void forget(String reason) {
        last = NONE;
        askedAfter = NONE;
        digests.clear();
        actions.clear(reason);
    }

    /** Applies what came meanwhile; goes live unless another gap shows. */
    private void drain(long nowNanos) {
        State draining = state;
        while (state == draining && !queue.isEmpty()) {
            Message next = queue.element();
            if (last != NONE && Long.compareUnsigned(next.sequence, last + 1) > 0) {
                gaps++;
                if (mayAskAgain()) {
                    catchUp(nowNanos);
                    return;
                }
                forget("hole");
            }
            remove();
            if (last == NONE || next.sequence == last + 1) {
                apply(next.sequence, next.payload);
            } else if (!digests.isKnownOrForgotten(next.sequence, next.payload)) {
                restarted(next.sequence, next.payload, nowNanos);
                return;
            }
        }
        goLive();
    }

    private void liveFromQueue(long nowNanos) {
        goLive();
        while (state == State.LIVE && !queue.isEmpty()) {
            Message next = remove();
            take(next.sequence, next.payload, nowNanos);
        }
    }

    private void goLive() {
        failures = 0;
        rounds = 0;
        askedAfter = NONE;
        become(State.LIVE);
    }

    private void enqueue(Message message, long nowNanos) {
        if (queue.size() >= limits.queuedMessages() || queuedBytes + message.payload.length > limits.queuedBytes()) {
            forget("queue_full");
            become(State.WAITING);
            dropQueue();
            failures++;
            plan(nowNanos);
            return;
        }
        queue.add(message);
        queuedBytes += message.payload.length;
    }

    private Message remove() {
        Message next = queue.remove();
        queuedBytes -= next.payload.length;
        return next;
    }

    private void dropQueue() {
        queue.clear();
        queuedBytes = 0;
    }

    /** Plans another try, later with each failure. */
    private void plan(long nowNanos) {
        long first = limits.firstPause().toNanos();
        long pause = Math.min(limits.longestPause().toNanos(), first << Math.min(failures - 1, 20));
        retryAtNanos = nowNanos + pause;
        retryPlanned = true;
    }

    private void become(State next) {
        state = next;
        CacheTrust now =
                switch (next) {
                    case LIVE -> CacheTrust.EXACT;
                    case SYNCING, CATCHING_UP -> CacheTrust.RECOVERING;
                    case WAITING -> CacheTrust.NONE;
                };
        if (now != trust) {
            trust = now;
            actions.trust(now);
        }
    }
}
