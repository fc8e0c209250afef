package io.kvgate.bench.load;

import io.kvgate.bench.workload.Arrivals;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * What load to put where, and when to end.
 *
 * @param target whole URL that requests are posted to; {@code http} on this machine's loopback, as load on others is not ours to make
 * @param pace what decides when the next request is sent
 * @param maxRequests sent at most; 1 to 10,000,000
 * @param maxDuration no request is sent after it; above zero, at most an hour
 * @param requestTimeout limit of one request from its sending to its last byte, and of the wait for the last ones; above zero, at most
 *     ten minutes
 */
public record LoadPlan(URI target, Pace pace, int maxRequests, Duration maxDuration, Duration requestTimeout) {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final int MOST_REQUESTS = 10_000_000;
    private static final int MOST_AT_ONCE = 10_000;

    /** What decides when the next request is sent. */
    public sealed interface Pace {
        /** Requests that may be under way at a time. */
        int maxInFlight();

        private static void check(int atOnce) {
            if (atOnce < 1 || atOnce > MOST_AT_ONCE) {
                throw new IllegalArgumentException(
                        "requests at a time: " + atOnce + " (expected: 1 to " + MOST_AT_ONCE + ")");
            }
        }
    }

    /**
     * Requests come when they come, however slow the answers are; latencies count from the moment a request was due, so that
     * a stall is seen by everyone who would have met it.
     *
     * @param maxInFlight a request that is due while so many are under way is not sent, and counted so; 1 to 10,000
     */
    public record OpenLoop(Arrivals arrivals, int maxInFlight) implements Pace {
        public OpenLoop {
            Pace.check(maxInFlight);
        }
    }

    /**
     * Each client sends its next request when its last one has ended; latencies count from the sending.
     *
     * @param clients 1 to 10,000
     */
    public record ClosedLoop(int clients) implements Pace {
        public ClosedLoop {
            Pace.check(clients);
        }

        @Override
        public int maxInFlight() {
            return clients;
        }
    }

    public LoadPlan {
        String host = target.getHost();
        boolean loopback = host != null && LOOPBACK.contains(host.toLowerCase(Locale.ROOT));
        check(loopback, "target", target, "a URL with host 127.0.0.1, localhost or [::1]");
        check("http".equals(target.getScheme()), "target", target, "scheme http");
        check(maxRequests >= 1 && maxRequests <= MOST_REQUESTS, "maxRequests", maxRequests, "1 to " + MOST_REQUESTS);
        checkWithin("maxDuration", maxDuration, Duration.ofHours(1));
        checkWithin("requestTimeout", requestTimeout, Duration.ofMinutes(10));
    }

    private static void checkWithin(String name, Duration value, Duration most) {
        boolean valid = !value.isNegative() && !value.isZero() && value.compareTo(most) <= 0;
        check(valid, name, value, "above zero, at most " + most);
    }

    private static void check(boolean valid, String name, Object value, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
