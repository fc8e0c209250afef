package io.kvgate.server.routing;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.InferenceRequest;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RequestOutcome.Phase;
import io.kvgate.core.worker.Worker;
import io.kvgate.policies.SelectionContext;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request's state from its parsed body to its end: it owns the body, the deadline and the attempt under way, and ends exactly
 * once: with the worker's answer, with an error, or because the client left.
 *
 * <p>Threading: confined to its client's event loop.
 */
public final class Exchange {
    /** How the client learns where the body ends. */
    public enum BodyEnd {
        /** By its length, or there is none. */
        KNOWN,
        /** What is written is in chunks already. */
        CHUNKED,
        /** By the end of the connection. */
        CLOSE
    }

    /** The way back to the client. {@code begin write* end}, or {@code fail}, or {@code begin write* breakOff}. */
    public interface Client {
        /** Sends the response head; the headers are the client's to change. */
        void begin(int status, String reason, HttpHeaders headers, BodyEnd end);

        /** Takes the bytes over. */
        void write(ByteBuf bytes);

        void flush();

        /** The response is whole. */
        void end();

        /** Answers with an error; nothing was begun. */
        void fail(GatewayException error);

        /** Gives a begun response up: writes the last words, if any, and closes the connection. Takes the bytes over. */
        void breakOff(GatewayException error, ByteBuf lastWords);

        /** False while more than the high-water mark waits to be read by the client. */
        boolean writable();
    }

    private final RoutingServices services;
    private final LoopContext loop;
    private final RequestRouter router;
    private final RequestHead head;
    private final InferenceRequest request;
    private final SelectionContext selection;
    private final RequestTrace trace;
    private final Client client;
    private final long startedNanos;
    private final int bodyBytes;
    private final Runnable bodyReleased;
    private @Nullable ByteBuf body;
    private @Nullable Prompt firstPrompt;
    private Set<Worker> failedWorkers = Set.of();
    private Set<Worker> lastFailedWorker = Set.of();
    private @Nullable Attempt attempt;
    private @Nullable Future<?> backoff;
    private @Nullable Future<?> totalTimer;
    private boolean ended;
    private boolean status500;

    /** Takes the body over. */
    public Exchange(
            RoutingServices services, LoopContext loop, RequestRouter router, Received received, Client client) {
        this.services = services;
        this.loop = loop;
        this.router = router;
        this.head = received.head();
        this.request = received.request();
        this.body = received.body();
        firstPrompt = received.prompt();
        this.trace = received.trace();
        this.bodyReleased = received.bodyReleased();
        this.client = client;
        bodyBytes = received.body().readableBytes();
        selection = new SelectionContext(request);
        startedNanos = services.ticker().nanos();
    }

    /**
     * A whole request.
     *
     * @param head its head
     * @param request what routing needs
     * @param prompt what its body says besides, for the first selection, which follows at once
     * @param body its body, as received
     * @param trace its notes
     * @param bodyReleased told once, when the body is not held any more
     */
    public record Received(
            RequestHead head,
            InferenceRequest request,
            Prompt prompt,
            ByteBuf body,
            RequestTrace trace,
            Runnable bodyReleased) {}

    /** Sets the deadline and goes to the router. */
    public void start() {
        assert loop.loop().inEventLoop();
        long total = services.timeouts().total().toNanos();
        if (total > 0) {
            totalTimer = loop.loop().schedule(this::onTotalTimeout, total, TimeUnit.NANOSECONDS);
        }
        router.route(this);
    }

    /** The client has left: nothing is written any more, the worker is told at once. */
    public void clientGone() {
        if (!ended) {
            ended = true;
            if (attempt != null) {
                attempt.cancel();
            }
            release();
        }
    }

    /** The client reads again. */
    public void clientWritable() {
        if (attempt != null) {
            attempt.clientWritable();
        }
    }

    /** Where the request is; for the log line of a client that left. */
    public Phase phase() {
        if (attempt != null) {
            return attempt.phase();
        }
        return backoff != null ? Phase.BACKOFF : Phase.CONNECT;
    }

    /** The gateway ends: the request is given up, which is nobody's fault. */
    public void cut(GatewayException error) {
        Attempt current = attempt;
        if (current != null) {
            current.cut(error);
        } else {
            fail(error);
        }
    }

    private void onTotalTimeout() {
        GatewayException error = new GatewayException(
                ErrorCode.UPSTREAM_TIMEOUT,
                where() + "the request took longer than --request-timeout-secs ("
                        + services.timeouts().total().toSeconds() + ")");
        Attempt current = attempt;
        if (current != null) {
            current.timeOut(error);
        } else {
            fail(error);
        }
    }

    private String where() {
        return attempt == null ? "" : "worker " + attempt.worker().id() + ": ";
    }

    // ------------------------------------------------------------- for the router

    RoutingServices services() {
        return services;
    }

    LoopContext loop() {
        return loop;
    }

    InferenceRequest request() {
        return request;
    }

    RequestHead head() {
        return head;
    }

    SelectionContext selection() {
        return selection;
    }

    RequestTrace trace() {
        return trace;
    }

    Client client() {
        return client;
    }

    int bodyBytes() {
        return bodyBytes;
    }

    long startedNanos() {
        return startedNanos;
    }

    /** The body, borrowed. Not to be asked for after {@link #commit}. */
    ByteBuf body() {
        if (body == null) {
            throw new IllegalStateException("body: released");
        }
        return body;
    }

    /**
     * The prompt, for the selection that follows at once. The first time it is the one the request came with; then it is read
     * again, since its arrays have served other requests. A body too large to be read on an event loop has none then: its next
     * worker is chosen without it.
     */
    Prompt takePrompt() {
        Prompt first = firstPrompt;
        firstPrompt = null;
        if (first != null) {
            return first;
        }
        return bodyBytes > LoopContext.MAX_READ_BYTES
                ? Prompt.NONE
                : loop.reader().read(body(), request.endpoint(), true).prompt();
    }

    Set<Worker> failedWorkers() {
        return failedWorkers;
    }

    /** The one that failed last; empty if none has. */
    Set<Worker> lastFailedWorker() {
        return lastFailedWorker;
    }

    void addFailedWorker(Worker worker) {
        if (failedWorkers.isEmpty()) {
            failedWorkers = new HashSet<>();
        }
        failedWorkers.add(worker);
        lastFailedWorker = Set.of(worker);
    }

    void addFailedStatus(int status) {
        status500 |= status == 500;
    }

    /** Whether an earlier attempt of this request was answered 500. */
    boolean hadStatus500() {
        return status500;
    }

    boolean ended() {
        return ended;
    }

    /** Nanoseconds left of the total limit; very large if there is none. */
    long nanosLeft() {
        long total = services.timeouts().total().toNanos();
        return total == 0 ? Long.MAX_VALUE : total - (services.ticker().nanos() - startedNanos);
    }

    void begin(Attempt started) {
        backoff = null;
        attempt = started;
        started.start();
    }

    /** An attempt is over without an answer; the router decides what follows. */
    void attemptFailed(AttemptFailure failure) {
        attempt = null;
        if (!ended) {
            router.onAttemptFailed(this, failure);
        }
    }

    void after(long nanos, Runnable next) {
        backoff = loop.loop().schedule(next, nanos, TimeUnit.NANOSECONDS);
    }

    /** The response has begun: there will be no other attempt, so the body is let go. */
    void commit() {
        releaseBody();
    }

    void completed() {
        ended = true;
        release();
    }

    /** Answers with an error; nothing of a response has been sent. */
    void fail(GatewayException error) {
        if (!ended) {
            ended = true;
            release();
            client.fail(error);
        }
    }

    private void release() {
        attempt = null;
        if (totalTimer != null) {
            totalTimer.cancel(false);
        }
        if (backoff != null) {
            backoff.cancel(false);
        }
        releaseBody();
    }

    private void releaseBody() {
        if (body != null) {
            body.release();
            body = null;
            bodyReleased.run();
        }
    }
}
