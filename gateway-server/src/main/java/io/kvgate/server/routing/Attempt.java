package io.kvgate.server.routing;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.request.RequestOutcome.Phase;
import io.kvgate.core.resilience.RetryPolicy;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.server.upstream.UpstreamCall;
import io.kvgate.server.upstream.UpstreamFailure;
import io.kvgate.server.upstream.UpstreamHead;
import io.kvgate.server.upstream.UpstreamListener;
import io.kvgate.server.upstream.UpstreamRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One try at one worker: sends, waits, relays, judges the worker, and lets go of it exactly once.
 *
 * <p>Threading: confined to the request's event loop.
 */
final class Attempt implements UpstreamListener {
    /** Decides about an answer that another worker may do better than. */
    interface Retries {
        /** Whether to try elsewhere instead of passing this status on. */
        boolean insteadOf(Exchange exchange, Worker worker, UpstreamHead head);
    }

    private static final long SHORT_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_REST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Exchange exchange;
    private final WorkerSelector.Selection selection;
    private final LoadGuard guard;
    private final Retries retries;
    private @Nullable UpstreamCall call;
    private @Nullable ResponseRelay relay;
    private @Nullable Future<?> timer;
    private int status;
    private boolean full;
    private boolean over;
    private boolean paused;
    private long lastReadNanos;

    Attempt(Exchange exchange, WorkerSelector.Selection selection, Retries retries) {
        this.exchange = exchange;
        this.selection = selection;
        this.guard = selection.guard();
        this.retries = retries;
    }

    Worker worker() {
        return guard.worker();
    }

    void start() {
        exchange.trace().chosen(worker().id().toString(), selection.policy().name(), selection.reason());
        long headNanos = exchange.services().timeouts().head().toNanos();
        if (headNanos > 0) {
            timer = exchange.loop().loop().schedule(this::onHeadTimeout, headNanos, TimeUnit.NANOSECONDS);
        }
        if (exchange.trace().attempts() == 1) {
            exchange.services()
                    .meters()
                    .overhead(
                            exchange.request().endpoint().label(),
                            (exchange.services().ticker().nanos()
                                            - exchange.trace().receivedNanos())
                                    / 1e9);
        }
        send(false);
    }

    /** @param fresh true: only a new connection will do */
    private void send(boolean fresh) {
        call = null;
        ByteBuf head = exchange.services()
                .encoder()
                .encode(exchange.head(), worker(), exchange.bodyBytes(), ByteBufAllocator.DEFAULT);
        UpstreamRequest request =
                new UpstreamRequest(head, exchange.body(), exchange.head().isHead());
        UpstreamCall started = exchange.loop().upstream().call(worker(), request, this, fresh);
        if (!over && call == null) {
            call = started;
        }
    }

    Phase phase() {
        if (relay != null) {
            return Phase.STREAM;
        }
        return call == null ? Phase.CONNECT : Phase.HEAD;
    }

    // ------------------------------------------------------------- from the worker

    @Override
    public void onHead(UpstreamHead head) {
        cancelTimer();
        status = head.status();
        noteFullness(head);
        exchange.services().meters().response(Integer.toString(status), "");
        if (RetryPolicy.isRetryableStatus(status) && retries.insteadOf(exchange, worker(), head)) {
            giveUpFor(head);
            return;
        }
        exchange.commit();
        ResponseRelay started =
                new ResponseRelay(exchange.client(), head, exchange.head().http10(), ByteBufAllocator.DEFAULT);
        relay = started;
        started.begin(worker().id().toString(), decision());
        lastReadNanos = exchange.services().ticker().nanos();
        armIdleTimer(exchange.services().timeouts().streamIdle().toNanos());
    }

    /** A worker that says it is full gets no more requests for the time it asks, or a moment, while others are free. */
    private void noteFullness(UpstreamHead head) {
        long asked = RetryAfter.nanos(head.headers());
        full = status == 429 || (status == 503 && asked > 0);
        if (full) {
            worker().rest(asked > 0 ? Math.min(asked, MAX_REST_NANOS) : SHORT_REST_NANOS);
        }
    }

    private @Nullable String decision() {
        if (!"1".equals(exchange.head().headers().get("x-kvgate-explain"))) {
            return null;
        }
        return exchange.trace().decision();
    }

    private void giveUpFor(UpstreamHead head) {
        UpstreamCall current = call;
        judge();
        long retryAfter = RetryAfter.nanos(head.headers());
        letGo(new RequestOutcome.Failed(ErrorCode.UPSTREAM_RESET));
        if (current != null) {
            current.discard();
        }
        exchange.attemptFailed(new AttemptFailure(
                worker(), ErrorCode.UPSTREAM_RESET, "answered " + status, "answered " + status, status, retryAfter));
    }

    @Override
    public void onPayload(ByteBuf buf, int from, int length) {
        ResponseRelay current = relay;
        if (current != null) {
            current.payload(buf, from, length);
        }
    }

    @Override
    public void onBody(ByteBuf raw) {
        ResponseRelay current = relay;
        if (current == null) {
            raw.release();
            return;
        }
        lastReadNanos = exchange.services().ticker().nanos();
        exchange.trace().relayed(raw.readableBytes(), lastReadNanos);
        current.body(raw);
    }

    @Override
    public void onReadComplete() {
        if (relay == null) {
            return;
        }
        exchange.client().flush();
        if (!over && !exchange.client().writable()) {
            paused = true;
            read(false);
        }
    }

    void clientWritable() {
        if (paused && exchange.client().writable()) {
            paused = false;
            lastReadNanos = exchange.services().ticker().nanos();
            read(true);
        }
    }

    private void read(boolean on) {
        if (call != null) {
            call.reading(on);
        }
    }

    @Override
    public void onEnd() {
        ResponseRelay current = relay;
        if (over || current == null) {
            return;
        }
        judge();
        letGo(new RequestOutcome.Completed(status));
        exchange.completed();
        current.end();
    }

    @Override
    public void onFailure(UpstreamFailure failure) {
        if (over) {
            return;
        }
        if (failure.stale()) {
            exchange.services().meters().staleConnection();
            send(true);
            return;
        }
        exchange.services().meters().response("0", failure.code().code());
        exchange.services().meters().attemptFailed(failure.code().code());
        guard.failed();
        ResponseRelay current = relay;
        exchange.trace().detail(failure.detail());
        letGo(new RequestOutcome.Failed(failure.code()));
        if (current == null) {
            exchange.attemptFailed(
                    new AttemptFailure(worker(), failure.code(), failure.cause(), failure.detail(), 0, 0));
        } else {
            exchange.completed();
            current.breakOff(error(failure.code(), failure.cause()));
        }
    }

    // ------------------------------------------------------------- time limits

    private void onHeadTimeout() {
        long seconds = exchange.services().timeouts().head().toSeconds();
        endBy(ErrorCode.UPSTREAM_TIMEOUT, "no response head within --response-head-timeout-secs (" + seconds + ")");
    }

    private void armIdleTimer(long nanos) {
        if (nanos > 0 && !over) {
            timer = exchange.loop().loop().schedule(this::onIdleTimer, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Looks when the last read was instead of being set anew by each; a client that reads slowly is not the worker's fault. */
    private void onIdleTimer() {
        long limit = exchange.services().timeouts().streamIdle().toNanos();
        long idle = paused ? 0 : exchange.services().ticker().nanos() - lastReadNanos;
        if (idle < limit) {
            armIdleTimer(limit - idle);
            return;
        }
        endBy(
                ErrorCode.UPSTREAM_IDLE_TIMEOUT,
                "nothing received within --stream-idle-timeout-secs (" + TimeUnit.NANOSECONDS.toSeconds(limit) + ")");
    }

    private void endBy(ErrorCode code, String cause) {
        UpstreamCall current = call;
        onFailure(new UpstreamFailure(code, cause, cause, false));
        if (current != null) {
            current.cancel();
        }
    }

    /** The request's total time is over; if the client was the slow one, the worker is not to blame. */
    void timeOut(GatewayException error) {
        if (!paused) {
            guard.failed();
            exchange.services().meters().attemptFailed(error.code().code());
        }
        cut(error);
    }

    /** Gives the request up with an error, wherever it is. */
    void cut(GatewayException error) {
        UpstreamCall current = call;
        ResponseRelay begun = relay;
        guard.ignored();
        letGo(new RequestOutcome.Failed(error.code()));
        if (current != null) {
            current.cancel();
        }
        if (begun == null) {
            exchange.fail(error);
        } else {
            exchange.completed();
            begun.breakOff(error);
        }
    }

    // ------------------------------------------------------------- the end

    /** The client is gone: the worker is told by closing its connection, and is not to blame. */
    void cancel() {
        UpstreamCall current = call;
        Phase phase = phase();
        guard.ignored();
        letGo(new RequestOutcome.ClientAborted(phase));
        if (current != null) {
            current.cancel();
        }
    }

    private void judge() {
        if (full) {
            guard.ignored();
        } else if (status < 500) {
            guard.succeeded();
        } else if (status == 500 && exchange.hadStatus500()) {
            // Two workers fail on it alike: the request is to blame, not the fleet.
            guard.ignored();
        } else {
            guard.failed();
            exchange.services().meters().attemptFailed("status_" + status);
        }
    }

    private void noteUsage(ResponseRelay current) {
        UsageScanner usage = current.observer().usage();
        exchange.trace().usage(usage.prompt(), usage.completion(), usage.cached());
        if (current.eventStream() && current.observer().beganWithError()) {
            exchange.trace().errorInStream();
        }
    }

    private void letGo(RequestOutcome outcome) {
        over = true;
        call = null;
        cancelTimer();
        if (relay != null) {
            noteUsage(relay);
        }
        guard.close();
        selection.policy().onComplete(worker(), exchange.selection(), outcome);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private GatewayException error(ErrorCode code, String cause) {
        return new GatewayException(code, "worker " + worker().id() + ": " + cause);
    }
}
