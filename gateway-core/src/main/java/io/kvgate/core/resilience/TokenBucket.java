package io.kvgate.core.resilience;

import io.kvgate.core.time.Ticker;

/** Skeleton: API fixed, body to come. A rate limit: tokens refill with time, each request takes one. */
public final class TokenBucket {
    public TokenBucket(double tokensPerSecond, double burst, Ticker ticker) {
        throw new UnsupportedOperationException();
    }

    /** Takes a token: 0 if taken, else nanoseconds until one is there (nothing was taken) */
    public long tryAcquire() {
        throw new UnsupportedOperationException();
    }
}
