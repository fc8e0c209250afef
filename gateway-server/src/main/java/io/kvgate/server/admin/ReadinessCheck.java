package io.kvgate.server.admin;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerStatus;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Says whether a request would succeed now: some worker may be chosen, and nothing holds the gateway back.
 *
 * <p>Threading: any thread.
 */
public final class ReadinessCheck {
    /** Why the gateway itself is not ready, whatever its workers are. */
    public enum Hold {
        WARMING_UP("warming up"),
        DRAINING("draining");

        private final String reason;

        Hold(String reason) {
            this.reason = reason;
        }
    }

    /**
     * The answer at one moment.
     *
     * @param ready whether a request would succeed
     * @param reason why not; empty if ready
     * @param availableWorkers workers that may be chosen: ready, and their breaker would admit
     * @param totalWorkers registered workers
     */
    public record Verdict(boolean ready, String reason, int availableWorkers, int totalWorkers) {}

    private final WorkerRegistry registry;
    private final AtomicReference<Set<Hold>> holds = new AtomicReference<>(Set.of());

    /** Exports {@link GatewayMeter#READY}. */
    public ReadinessCheck(WorkerRegistry registry, MetricsRegistry metrics) {
        this.registry = registry;
        metrics.observe(GatewayMeter.READY, () -> check().ready() ? 1 : 0);
    }

    /** Not ready from now on, until {@link #release}. */
    public void hold(Hold hold) {
        holds.updateAndGet(before -> with(before, hold, true));
    }

    /** Undoes {@link #hold}. */
    public void release(Hold hold) {
        holds.updateAndGet(before -> with(before, hold, false));
    }

    private static Set<Hold> with(Set<Hold> before, Hold hold, boolean held) {
        Set<Hold> after = EnumSet.noneOf(Hold.class);
        after.addAll(before);
        if (held) {
            after.add(hold);
        } else {
            after.remove(hold);
        }
        return Set.copyOf(after);
    }

    /** Whether a request would succeed now. */
    public Verdict check() {
        int total = 0;
        int ready = 0;
        int available = 0;
        for (Worker worker : registry.snapshot().workers()) {
            total++;
            if (worker.status() == WorkerStatus.READY) {
                ready++;
            }
            if (worker.available()) {
                available++;
            }
        }
        String reason = "";
        Set<Hold> held = requireNonNull(holds.get());
        if (held.contains(Hold.DRAINING)) {
            reason = Hold.DRAINING.reason;
        } else if (held.contains(Hold.WARMING_UP)) {
            reason = Hold.WARMING_UP.reason;
        } else if (total == 0) {
            reason = "no workers registered";
        } else if (ready == 0) {
            reason = "insufficient healthy workers";
        } else if (available == 0) {
            reason = "circuit breakers of all healthy workers are open";
        }
        return new Verdict(reason.isEmpty(), reason, available, total);
    }
}
