package io.kvgate.bench.sim;

import java.util.Locale;

/**
 * Results of simulations as a Markdown table, one line after another.
 *
 * <p>Threading: one thread.
 */
final class SimulationTable {
    private static final String HEAD = "| workload | requests/s | flags | cached | TTFT mean | p50 | p95 | p99 |"
            + " busiest worker | in flight at the end |\n"
            + "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|\n";
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MILLIS_PER_SECOND = 1_000;

    private final StringBuilder text = new StringBuilder(HEAD);

    /** Adds a line, and answers it. */
    String add(SimulationRun run, SimulationResult result) {
        SimulationResult.Times first = result.firstToken();
        String line = String.format(
                Locale.ROOT,
                "| %s | %s | `%s` | %.1f %% | %s | %s | %s | %s | %.1f %% | %d |%n",
                run.scenario().label(),
                plain(run.perSecond()),
                run.label(),
                100 * result.hit(),
                time(Math.round(first.meanNanos())),
                time(first.p50Nanos()),
                time(first.p95Nanos()),
                time(first.p99Nanos()),
                100 * result.largestShare(),
                result.inFlight());
        text.append(line);
        return line;
    }

    String markdown() {
        return text.toString();
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }

    /** Milliseconds below a second, else seconds. */
    static String time(long nanos) {
        double millis = nanos / NANOS_PER_MILLI;
        return millis < MILLIS_PER_SECOND - 0.5
                ? String.format(Locale.ROOT, "%.0f ms", millis)
                : String.format(Locale.ROOT, "%.1f s", millis / MILLIS_PER_SECOND);
    }
}
