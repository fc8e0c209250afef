package io.kvgate.bench.load;

import io.kvgate.core.time.Ticker;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request under way: takes its answer, remembers the moments, and is counted exactly once.
 *
 * <p>Threading: the answer comes on one thread of the client at a time; the end may come from any.
 */
final class LoadCall implements HttpResponse.BodyHandler<Void>, HttpResponse.BodySubscriber<Void> {
    private static final int OK = 200;
    private static final long NOT_YET = -1;

    private final long dueNanos;
    private final Ticker ticker;
    private final EventStream stream = new EventStream();
    private final CompletableFuture<Void> body = new CompletableFuture<>();
    private final AtomicReference<Flow.@Nullable Subscription> subscription = new AtomicReference<>();

    private volatile int status;
    private volatile boolean streamed;
    private volatile @Nullable String worker;
    private volatile long firstTokenNanos = NOT_YET;
    private volatile long endNanos;

    LoadCall(long dueNanos, Ticker ticker) {
        this.dueNanos = dueNanos;
        this.ticker = ticker;
    }

    @Override
    public HttpResponse.BodySubscriber<Void> apply(HttpResponse.ResponseInfo head) {
        status = head.statusCode();
        worker = head.headers().firstValue("x-kvgate-worker").orElse(null);
        streamed = head.headers().firstValue("content-type").orElse("").startsWith("text/event-stream");
        return this;
    }

    @Override
    public CompletionStage<Void> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription.set(given);
        given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            if (stream.accept(part)) {
                firstTokenNanos = ticker.nanos() - dueNanos;
            }
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        endNanos = ticker.nanos() - dueNanos;
        body.complete(null);
    }

    /** Reads no more of the answer. */
    void cancel() {
        Flow.Subscription given = subscription.get();
        if (given != null) {
            given.cancel();
        }
    }

    /** Counts a whole answer. */
    void count(LoadTally tally) {
        if (status != OK) {
            tally.bad(Integer.toString(status));
        } else if (streamed && !stream.complete()) {
            tally.bad(LoadResult.INCOMPLETE);
        } else {
            tally.good(worker, firstTokenNanos, endNanos, stream.tokens());
        }
    }
}
