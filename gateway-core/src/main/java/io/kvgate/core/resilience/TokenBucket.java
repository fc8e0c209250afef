package io.kvgate.core.resilience;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.time.Ticker;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A rate limit: tokens refill with time up to a burst, each request takes one. Starts full.
 *
 * <p>Threading: any thread, without locks; its state is one number.
 */
public final class TokenBucket {
    /*
     * The bucket is kept as one time instead of a level: fullAt is when it would be full again if nobody took more. Taking a
     * token moves fullAt on by the time one token needs to refill, and is allowed while fullAt stays within burst refills of
     * now. So there is no refill step, no fraction to lose between two calls, and one compare-and-set decides.
     */
    private static final double NANOS_PER_SECOND = 1e9;
    /** Leaves room for sums of two without overflow. 73 years. */
    private static final long MAX_NANOS = Long.MAX_VALUE / 4;

    private final Ticker ticker;
    private final long originNanos;
    private final long nanosPerToken;
    private final long burstNanos;
    private final AtomicLong fullAtNanos = new AtomicLong();

    /**
     * @param tokensPerSecond refill rate; positive and finite. Above 10⁹ it works as 10⁹.
     * @param burst tokens a full bucket holds; at least 1, finite
     */
    public TokenBucket(double tokensPerSecond, double burst, Ticker ticker) {
        if (!(tokensPerSecond > 0 && tokensPerSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("tokensPerSecond: " + tokensPerSecond + " (expected: finite, > 0)");
        }
        if (!(burst >= 1 && burst < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("burst: " + burst + " (expected: finite, >= 1)");
        }
        this.ticker = requireNonNull(ticker, "ticker");
        originNanos = ticker.nanos();
        nanosPerToken = Math.min(MAX_NANOS, Math.max(1, Math.round(NANOS_PER_SECOND / tokensPerSecond)));
        burstNanos = Math.max(nanosPerToken, (long) Math.min((double) MAX_NANOS, burst * nanosPerToken));
    }

    /** Takes a token: 0 if taken, else nanoseconds until one is there (nothing was taken). */
    public long tryAcquire() {
        long nowNanos = ticker.nanos() - originNanos;
        while (true) {
            long fullAt = fullAtNanos.get();
            long next = Math.max(fullAt, nowNanos) + nanosPerToken;
            long missing = next - nowNanos - burstNanos;
            if (missing > 0) {
                return missing;
            }
            if (fullAtNanos.compareAndSet(fullAt, next)) {
                return 0;
            }
        }
    }
}
