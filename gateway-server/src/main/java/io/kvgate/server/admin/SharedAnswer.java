package io.kvgate.server.admin;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvgate.core.time.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers of a costly question share one answer: those that come while it is being found, and those that come shortly after.
 * So a public route can't be used to multiply work at the workers.
 *
 * <p>Threading: any thread; the lock is held only to read and swap the fields.
 */
final class SharedAnswer<T> {
    private final Ticker ticker;
    private final long keepNanos;

    @GuardedBy("this")
    private @Nullable CompletableFuture<T> answer;

    @GuardedBy("this")
    private long version;

    @GuardedBy("this")
    private long startNanos;

    /** Keeps an answer for {@code keep} from its beginning; zero: only while it is being found. */
    SharedAnswer(Ticker ticker, Duration keep) {
        this.ticker = ticker;
        keepNanos = keep.toNanos();
    }

    /** The shared answer, or a new one if there is none, it is too old, or it was found for another version. */
    CompletableFuture<T> get(long wantedVersion, Supplier<CompletableFuture<T>> question) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        synchronized (this) {
            CompletableFuture<T> shared = answer;
            if (shared != null && version == wantedVersion && usable(shared)) {
                return shared.copy();
            }
            answer = mine;
            version = wantedVersion;
            startNanos = ticker.nanos();
        }
        var unused = begin(question).whenComplete((value, error) -> {
            if (error == null) {
                mine.complete(value);
            } else {
                mine.completeExceptionally(error);
            }
        });
        return mine.copy();
    }

    @GuardedBy("this")
    private boolean usable(CompletableFuture<T> shared) {
        if (!shared.isDone()) {
            return true;
        }
        return !shared.isCompletedExceptionally() && ticker.nanos() - startNanos < keepNanos;
    }

    private static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }
}
