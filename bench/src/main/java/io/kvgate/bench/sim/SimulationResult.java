package io.kvgate.bench.sim;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one simulation came to, without its first third.
 *
 * @param chosen choices of a worker
 * @param promptTokens of the requests that engines admitted
 * @param cachedTokens of those, found in the caches
 * @param firstToken from arrival to first token, of the requests that came and ended in that time
 * @param largestShare of the choices that fell on one worker, 0 to 1
 * @param inFlight at the end
 * @param reasons how often the policy chose for which reason; a reason may be empty
 */
record SimulationResult(
        long chosen,
        long promptTokens,
        long cachedTokens,
        Times firstToken,
        double largestShare,
        int inFlight,
        Map<String, Long> reasons) {
    SimulationResult {
        reasons = Collections.unmodifiableSortedMap(new TreeMap<>(reasons));
    }

    /** Share of prompt tokens that the engines had in their caches, 0 to 1. */
    double hit() {
        return promptTokens == 0 ? 0 : (double) cachedTokens / promptTokens;
    }

    /** A distribution of times; all zero if there was nothing to measure. */
    record Times(int count, double meanNanos, long p50Nanos, long p95Nanos, long p99Nanos) {
        /** @param nanos in any order */
        static Times of(long... nanos) {
            if (nanos.length == 0) {
                return new Times(0, 0, 0, 0, 0);
            }
            long[] sorted = nanos.clone();
            Arrays.sort(sorted);
            double mean = Arrays.stream(sorted).average().orElse(0);
            return new Times(sorted.length, mean, at(sorted, 50), at(sorted, 95), at(sorted, 99));
        }

        /** The smallest value that so many percent of all are not above. */
        private static long at(long[] sorted, int percent) {
            return sorted[(int) (((long) sorted.length * percent + 99) / 100) - 1];
        }
    }
}
