package io.kvgate.policies;

import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.LoadReport;
import io.kvgate.core.worker.Worker;
import java.time.Duration;

/**
 * How busy a worker is, from its engine's last word and from what this gateway has in flight there.
 *
 * <p>Threading: any thread; immutable.
 */
final class LoadEstimate {
    /*
     *   estimate = own now + (reported − own then) · (1 − age / maxAge),   at least 0
     *
     * "own" is what this gateway has in flight, "then" is when the report came. The bracket is the work of others (other gateways,
     * clients that go round us), which only the engine can tell; own work is known to the moment and must not be
     * counted twice. The bracket fades because the others' requests end too while nobody tells us: at the age limit nothing of it
     * is left, and the estimate passes into own requests alone without a jump. So a report that is true only in part can't
     * draw all requests to one worker until the next poll.
     *
     * Workers are compared in one unit. Requests are taken if every one compared has a fresh report of them, else tokens by the
     * same rule, else own requests alone. A worker whose poll failed is thus never mixed with polled ones, and is neither the
     * least nor the most loaded for it.
     */

    /** What a comparison counts in. */
    enum Unit {
        OWN_REQUESTS("in_flight"),
        ENGINE_REQUESTS("engine_load"),
        ENGINE_TOKENS("engine_load");

        private final String reason;

        Unit(String reason) {
            this.reason = reason;
        }

        /** The word that explains a choice made in this unit. */
        String reason() {
            return reason;
        }
    }

    /** What one own request counts among tokens; the reference's mean prefill. */
    private static final double TOKENS_PER_REQUEST = 1_024;

    private final Ticker ticker;
    private final long maxAgeNanos;

    LoadEstimate(Duration maxAge, Ticker ticker) {
        this.ticker = ticker;
        maxAgeNanos = Ticker.saturatedNanos(maxAge);
    }

    /** The moment to give to the other methods, one per comparison. */
    long nowNanos() {
        return ticker.nanos();
    }

    /** The best unit that all candidates share. */
    Unit unitOfAll(Candidates candidates, long nowNanos) {
        Unit unit = Unit.ENGINE_REQUESTS;
        for (int i = 0; i < candidates.size() && unit != Unit.OWN_REQUESTS; i++) {
            unit = narrow(unit, candidates.get(i), nowNanos);
        }
        return unit;
    }

    /** The same for a comparison that must be in requests: tokens are passed over. */
    Unit requestUnitOfAll(Candidates candidates, long nowNanos) {
        Unit unit = unitOfAll(candidates, nowNanos);
        return unit == Unit.ENGINE_TOKENS ? Unit.OWN_REQUESTS : unit;
    }

    /** The best unit that both share. */
    Unit unitOf(Worker one, Worker other, long nowNanos) {
        return narrow(narrow(Unit.ENGINE_REQUESTS, one, nowNanos), other, nowNanos);
    }

    /** At least 0; the more the busier. A report that has gone since the unit was chosen counts as nothing from others. */
    double of(Worker worker, Unit unit, long nowNanos) {
        int own = worker.inFlight();
        LoadReport report = worker.loadReport();
        if (unit == Unit.OWN_REQUESTS || report == null) {
            return unit == Unit.ENGINE_TOKENS ? own * TOKENS_PER_REQUEST : own;
        }
        double perRequest = unit == Unit.ENGINE_TOKENS ? TOKENS_PER_REQUEST : 1;
        double reported = unit == Unit.ENGINE_TOKENS ? report.load().tokens() : requests(report);
        double fade = Math.min(1, Math.max(0, 1 - (double) age(report, nowNanos) / maxAgeNanos));
        return Math.max(0, own * perRequest + (reported - report.inFlight() * perRequest) * fade);
    }

    private Unit narrow(Unit unit, Worker worker, long nowNanos) {
        LoadReport report = worker.loadReport();
        if (report == null || age(report, nowNanos) > maxAgeNanos || unit == Unit.OWN_REQUESTS) {
            return Unit.OWN_REQUESTS;
        }
        if (unit == Unit.ENGINE_REQUESTS && requests(report) >= 0) {
            return unit;
        }
        return report.load().tokens() >= 0 ? Unit.ENGINE_TOKENS : Unit.OWN_REQUESTS;
    }

    private static long age(LoadReport report, long nowNanos) {
        return nowNanos - report.load().atNanos();
    }

    /** Running and waiting ones; −1 if the engine tells of neither. */
    private static long requests(LoadReport report) {
        long running = report.load().runningRequests();
        long waiting = report.load().waitingRequests();
        return running < 0 && waiting < 0 ? -1 : Math.max(0, running) + Math.max(0, waiting);
    }
}
