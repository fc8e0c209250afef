package io.kvgate.bench.load;

import java.time.Duration;
import java.util.Map;

/**
 * What came of a load.
 *
 * @param requests that were due: those sent and those {@link #NOT_SENT}
 * @param outcomes how many ended how: {@link #GOOD}, another status, {@link #INCOMPLETE}, {@link #TIMEOUT}, {@link #NOT_SENT}, or the
 *     simple name of the client's exception
 * @param perWorker good answers by the value of {@code x-kvgate-worker}
 * @param timeToFirstToken of good answers that were streamed
 * @param endToEnd of good answers
 * @param tokens sums over good answers
 * @param elapsed from the start to the last end
 */
public record LoadResult(
        int requests,
        Map<String, Integer> outcomes,
        Map<String, Integer> perWorker,
        Latencies timeToFirstToken,
        Latencies endToEnd,
        TokenCounts tokens,
        Duration elapsed) {
    /** Status 200, and a stream with its {@code [DONE]}. */
    public static final String GOOD = "200";

    /** Status 200, but the stream lacks its {@code [DONE]}. */
    public static final String INCOMPLETE = "incomplete";

    /** No end within the request's time. */
    public static final String TIMEOUT = "timeout";

    /** As many were under way as may be. */
    public static final String NOT_SENT = "not sent";

    public LoadResult {
        outcomes = Map.copyOf(outcomes);
        perWorker = Map.copyOf(perWorker);
    }

    public int good() {
        return outcomes.getOrDefault(GOOD, 0);
    }

    /** All that were due and did not end well. */
    public int bad() {
        return requests - good();
    }
}
