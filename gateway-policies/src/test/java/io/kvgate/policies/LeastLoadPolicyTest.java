package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerLoad;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LeastLoadPolicyTest extends LoadBalancingPolicyContract {
    private static final Duration MAX_AGE = Duration.ofSeconds(25);

    @Override
    protected PolicyConfig config() {
        return new PolicyConfig.LeastLoad(MAX_AGE);
    }

    private static void occupy(Worker worker, int requests) {
        for (int i = 0; i < requests; i++) {
            assertThat(worker.tryAcquire()).isNotNull();
        }
    }

    private static void report(WorkerFleet fleet, int index, long running) {
        fleet.worker(index)
                .reportLoad(new WorkerLoad(
                        running, 0, -1, Double.NaN, fleet.ticker().nanos()));
    }

    @Test
    void select_nobodyPolled_fewestInFlight() {
        // L5, with one least
        WorkerFleet fleet = WorkerFleet.ready(3);
        occupy(fleet.worker(0), 2);
        occupy(fleet.worker(1), 1);
        occupy(fleet.worker(2), 3);
        assertThat(selections(fleet).next(20)).containsOnly(fleet.worker(1));
    }

    @Test
    void select_severalLeast_evenlyAmongThem() {
        // L3 and L5; unlike the reference ties fall by chance
        WorkerFleet fleet = WorkerFleet.ready(5);
        occupy(fleet.worker(0), 2);
        occupy(fleet.worker(3), 1);
        Map<Worker, Integer> shares = selections(fleet).shares(3_000);
        assertThat(shares).containsOnlyKeys(fleet.worker(1), fleet.worker(2), fleet.worker(4));
        assertThat(shares).allSatisfy((worker, share) -> assertThat(share).isBetween(850, 1_150));
    }

    @Test
    void select_requestsThatStay_fillEvenly() {
        WorkerFleet fleet = WorkerFleet.ready(7);
        Selections selections = selections(fleet);
        for (int i = 0; i < 70; i++) {
            occupy(selections.next(), 1);
        }
        assertThat(fleet.workers()).allMatch(worker -> worker.inFlight() == 10);
    }

    @Test
    void select_allPolled_engineLoadCounts() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        report(fleet, 0, 9);
        report(fleet, 1, 4);
        report(fleet, 2, 7);
        assertThat(selections(fleet).next(20)).containsOnly(fleet.worker(1));
        occupy(fleet.worker(1), 4);
        assertThat(selections(fleet).next(20)).containsOnly(fleet.worker(2));
    }

    @Test
    void select_onePollFailed_ownRequestsDecideForAll() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        report(fleet, 0, 0);
        report(fleet, 1, 50);
        occupy(fleet.worker(0), 1);
        occupy(fleet.worker(2), 1);
        assertThat(selections(fleet).next(20)).containsOnly(fleet.worker(1));
    }

    @Test
    void select_reportsFade_withAge() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        report(fleet, 0, 10);
        report(fleet, 1, 0);
        occupy(fleet.worker(1), 6);
        assertThat(selections(fleet).next(20)).containsOnly(fleet.worker(1));
        // Half of the ten are left by now.
        fleet.ticker().advance(MAX_AGE.dividedBy(2));
        assertThat(selections(fleet).next(20)).containsOnly(fleet.worker(0));
    }

    @Test
    void select_reason_namesWhatDecided() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        assertThat(reason(fleet)).isEqualTo("tie");
        occupy(fleet.worker(0), 1);
        assertThat(reason(fleet)).isEqualTo("in_flight");
        report(fleet, 0, 5);
        report(fleet, 1, 9);
        assertThat(reason(fleet)).isEqualTo("engine_load");
        fleet.notReady(fleet.worker(0));
        assertThat(reason(fleet)).isEqualTo("only_candidate");
    }

    private String reason(WorkerFleet fleet) {
        SelectionContext context = Selections.context();
        policy(fleet).select(new Candidates().fill(fleet.pool(), Set.of()), context);
        return context.reason();
    }
}
