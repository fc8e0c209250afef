package io.kvgate.server.monitor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Collects a response body up to a limit, and breaks the exchange off beyond it.
 *
 * <p>Threading: the HTTP client calls it one signal at a time.
 */
final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
    /** The body was longer than allowed. */
    static final class TooLargeException extends IOException {
        TooLargeException(int maxBytes) {
            super("larger than " + maxBytes + " bytes");
        }
    }

    private final int maxBytes;
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();
    private Flow.@Nullable Subscription subscription;

    BoundedBody(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
        subscription = newSubscription;
        newSubscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (body.isDone()) {
            return;
        }
        for (ByteBuffer buffer : buffers) {
            if (buffer.remaining() > maxBytes - collected.size()) {
                if (subscription != null) {
                    subscription.cancel();
                }
                body.completeExceptionally(new TooLargeException(maxBytes));
                return;
            }
            byte[] part = new byte[buffer.remaining()];
            buffer.get(part);
            collected.write(part, 0, part.length);
        }
    }

    @Override
    public void onError(Throwable error) {
        body.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        body.complete(collected.toByteArray());
    }
}
