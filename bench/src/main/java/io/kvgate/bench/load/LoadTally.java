package io.kvgate.bench.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts requests as they end.
 *
 * <p>Threading: any thread; one lock, taken once per request.
 */
final class LoadTally {
    private static final int DIGITS = 3;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, Integer> outcomes = new HashMap<>();

    @GuardedBy("lock")
    private final Map<String, Integer> perWorker = new HashMap<>();

    @GuardedBy("lock")
    private final Histogram timeToFirstToken = new Histogram(DIGITS);

    @GuardedBy("lock")
    private final Histogram endToEnd = new Histogram(DIGITS);

    @GuardedBy("lock")
    private TokenCounts tokens = TokenCounts.NONE;

    @GuardedBy("lock")
    private int requests;

    /**
     * A good answer.
     *
     * @param firstTokenNanos from when the request was due; negative: there was none
     * @param endNanos from when the request was due
     */
    void good(@Nullable String worker, long firstTokenNanos, long endNanos, @Nullable TokenCounts used) {
        synchronized (lock) {
            count(LoadResult.GOOD);
            if (worker != null) {
                perWorker.merge(worker, 1, Integer::sum);
            }
            if (firstTokenNanos >= 0) {
                timeToFirstToken.recordValue(firstTokenNanos);
            }
            endToEnd.recordValue(Math.max(0, endNanos));
            tokens = used == null ? tokens : tokens.plus(used);
        }
    }

    /** Any other end. */
    void bad(String outcome) {
        synchronized (lock) {
            count(outcome);
        }
    }

    LoadResult result(Duration elapsed) {
        synchronized (lock) {
            return new LoadResult(
                    requests,
                    outcomes,
                    perWorker,
                    Latencies.of(timeToFirstToken),
                    Latencies.of(endToEnd),
                    tokens,
                    elapsed);
        }
    }

    @GuardedBy("lock")
    private void count(String outcome) {
        requests++;
        outcomes.merge(outcome, 1, Integer::sum);
    }
}
