package io.kvgate.server.config;

import java.io.IOException;
import java.util.List;

/**
 * The Prometheus listener.
 *
 * @param host address to bind
 * @param port 0 to 65535; 0 takes a free one
 * @param durationBuckets upper bounds in seconds for the histograms whose name ends in {@code duration_seconds}; ascending
 */
public record MetricsConfig(String host, int port, List<Double> durationBuckets) {
    public static final MetricsConfig DEFAULT = new MetricsConfig(
            "0.0.0.0",
            29_000,
            List.of(
                    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 30.0, 45.0, 60.0, 90.0,
                    120.0, 180.0, 240.0, 480.0, 900.0, 1800.0, 3600.0));

    public MetricsConfig {
        durationBuckets = List.copyOf(durationBuckets);
        Check.notBlank("host", host);
        Check.within("port", port, 0, 65_535);
        for (int i = 0; i < durationBuckets.size(); i++) {
            double below = i == 0 ? 0 : durationBuckets.get(i - 1);
            if (!(durationBuckets.get(i) > below)) {
                throw new IllegalArgumentException(
                        "durationBuckets: " + durationBuckets + " (expected: above 0, ascending)");
            }
        }
    }

    /** What to throw when the listener can't be bound: one line with the flags, the address and the reason. */
    public IOException bindFailure(Throwable cause) {
        return HostName.bindFailure("--prometheus-host/--prometheus-port", host, port, cause);
    }

    /** The page's address for messages, given the port that was really taken. */
    public String url(int boundPort) {
        return "http://" + HostName.inUrl(host) + ":" + boundPort + "/metrics";
    }
}
