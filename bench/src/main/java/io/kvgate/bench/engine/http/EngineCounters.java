package io.kvgate.bench.engine.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * What an engine's HTTP side has seen since it was made; a restart doesn't reset it.
 *
 * <p>Threading: written by the event loop, read by any thread.
 */
public final class EngineCounters {
    private final Map<String, LongAdder> received = new ConcurrentHashMap<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final LongAdder completed = new LongAdder();
    private final LongAdder clientsGone = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final LongAdder connections = new LongAdder();
    private final int keptRequests;

    @GuardedBy("kept")
    private final Deque<ReceivedRequest> kept = new ArrayDeque<>();

    /** Remembers the last {@code keptRequests} requests with their bodies. */
    public EngineCounters(int keptRequests) {
        this.keptRequests = keptRequests;
    }

    /** Requests whose body has arrived, by path without query. */
    public long received(String path) {
        LongAdder count = received.get(path);
        return count == null ? 0 : count.sum();
    }

    /** Inference requests that were taken and whose answer has not ended. */
    public int inFlight() {
        return inFlight.get();
    }

    /** Inference requests answered to the end with a status below 400. */
    public long completed() {
        return completed.sum();
    }

    /** Inference requests whose client left before the end of the answer. */
    public long clientsGone() {
        return clientsGone.sum();
    }

    /** Inference requests ended by {@code /abort_request}. */
    public long aborted() {
        return aborted.sum();
    }

    /** Connections accepted. */
    public long connections() {
        return connections.sum();
    }

    /** The last requests, oldest first. */
    public List<ReceivedRequest> lastRequests() {
        synchronized (kept) {
            return List.copyOf(kept);
        }
    }

    void countReceived(String path) {
        received.computeIfAbsent(path, key -> new LongAdder()).increment();
    }

    void keep(ReceivedRequest request) {
        synchronized (kept) {
            kept.addLast(request);
            while (kept.size() > keptRequests) {
                kept.removeFirst();
            }
        }
    }

    boolean keepsRequests() {
        return keptRequests > 0;
    }

    void countStarted() {
        inFlight.incrementAndGet();
    }

    void countEnded() {
        inFlight.decrementAndGet();
    }

    void countCompleted() {
        completed.increment();
    }

    void countClientGone() {
        clientsGone.increment();
    }

    void countAborted() {
        aborted.increment();
    }

    void countConnection() {
        connections.increment();
    }
}
