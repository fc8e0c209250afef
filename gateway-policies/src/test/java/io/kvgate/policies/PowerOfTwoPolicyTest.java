package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerLoad;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PowerOfTwoPolicyTest extends LoadBalancingPolicyContract {
    private static final Duration MAX_AGE = Duration.ofSeconds(25);

    @Override
    protected PolicyConfig config() {
        return new PolicyConfig.PowerOfTwo(MAX_AGE);
    }

    private static void occupy(Worker worker, int requests) {
        for (int i = 0; i < requests; i++) {
            assertThat(worker.tryAcquire()).isNotNull();
        }
    }

    private static WorkerLoad requests(WorkerFleet fleet, long running) {
        return new WorkerLoad(running, 0, -1, Double.NaN, fleet.ticker().nanos());
    }

    private static WorkerLoad tokens(WorkerFleet fleet, long tokens) {
        return new WorkerLoad(-1, -1, tokens, Double.NaN, fleet.ticker().nanos());
    }

    @Test
    void select_twoWorkers_theLessLoadedAlways() {
        // P1
        WorkerFleet fleet = WorkerFleet.ready(2);
        occupy(fleet.worker(1), 9);
        assertThat(selections(fleet).next(100)).containsOnly(fleet.worker(0));
    }

    @Test
    void select_equalLoad_bothEvenly() {
        // P2
        WorkerFleet fleet = WorkerFleet.ready(2);
        occupy(fleet.worker(0), 5);
        occupy(fleet.worker(1), 5);
        Map<Worker, Integer> shares = selections(fleet).shares(2_000);
        assertThat(shares.get(fleet.worker(0))).isBetween(900, 1_100);
    }

    @Test
    void select_threeWorkers_theMostLoadedNever() {
        // P3
        WorkerFleet fleet = WorkerFleet.ready(3);
        occupy(fleet.worker(1), 10);
        occupy(fleet.worker(2), 20);
        assertThat(selections(fleet).next(300)).doesNotContain(fleet.worker(2)).contains(fleet.worker(0));
    }

    @Test
    void select_bothPolled_polledTokensWin() {
        // P4
        WorkerFleet fleet = WorkerFleet.ready(2);
        occupy(fleet.worker(1), 9);
        fleet.worker(0).reportLoad(tokens(fleet, 900));
        fleet.worker(1).reportLoad(tokens(fleet, 100));
        assertThat(selections(fleet).next(50)).containsOnly(fleet.worker(1));
    }

    @Test
    void select_onePolledOnly_countsDecide() {
        // P6
        WorkerFleet fleet = WorkerFleet.ready(2);
        occupy(fleet.worker(1), 9);
        fleet.worker(0).reportLoad(tokens(fleet, 900));
        fleet.worker(1).reportLoad(tokens(fleet, 100));
        fleet.worker(0).reportLoad(null);
        assertThat(selections(fleet).next(50)).containsOnly(fleet.worker(0));
    }

    @Test
    void select_engineWithoutNumbers_countsDecide() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        occupy(fleet.worker(1), 9);
        fleet.worker(0)
                .reportLoad(new WorkerLoad(-1, -1, -1, 0.9, fleet.ticker().nanos()));
        fleet.worker(1).reportLoad(requests(fleet, 0));
        assertThat(selections(fleet).next(50)).containsOnly(fleet.worker(0));
    }

    @Test
    void select_oneHealthyOfThree_it() {
        // P8
        WorkerFleet fleet = WorkerFleet.ready(3);
        fleet.notReady(fleet.worker(0));
        fleet.notReady(fleet.worker(1));
        assertThat(selections(fleet).next(10)).containsOnly(fleet.worker(2));
    }

    @Test
    void select_reportTooOld_countsDecide() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        fleet.worker(0).reportLoad(requests(fleet, 0));
        fleet.worker(1).reportLoad(requests(fleet, 50));
        fleet.ticker().advance(MAX_AGE.plusNanos(1));
        occupy(fleet.worker(0), 1);
        assertThat(selections(fleet).next(50)).containsOnly(fleet.worker(1));
    }

    @Test
    void select_workOfOthers_countsBesideOwn() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        occupy(fleet.worker(0), 10);
        // Ten of our own at the first, twelve of others at the second.
        fleet.worker(0).reportLoad(requests(fleet, 10));
        fleet.worker(1).reportLoad(requests(fleet, 12));
        assertThat(selections(fleet).next(50)).containsOnly(fleet.worker(0));
        occupy(fleet.worker(0), 3);
        assertThat(selections(fleet).next(50)).containsOnly(fleet.worker(1));
    }

    @Test
    void select_ownRequestsEndedSinceThePoll_noLongerCount() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        List<LoadGuard> guards = IntStream.range(0, 50)
                .mapToObj(i -> requireNonNull(fleet.worker(1).tryAcquire()))
                .toList();
        fleet.worker(0).reportLoad(requests(fleet, 0));
        fleet.worker(1).reportLoad(requests(fleet, 50));
        guards.forEach(LoadGuard::close);
        // Field report 085: a burst between two polls must not all go to the one that looked idle.
        int toFirst = burst(fleet, 100);
        assertThat(toFirst).isBetween(35, 65);
    }

    @Test
    void select_burstBetweenPolls_alternatesOnceLevel() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        fleet.worker(0).reportLoad(requests(fleet, 0));
        fleet.worker(1).reportLoad(requests(fleet, 20));
        assertThat(burst(fleet, 20)).isEqualTo(20);
        assertThat(burst(fleet, 100)).isBetween(35, 65);
    }

    /** Sends that many requests that do not end; how many went to the first worker. */
    private int burst(WorkerFleet fleet, int requests) {
        Selections selections = selections(fleet);
        int toFirst = 0;
        for (int i = 0; i < requests; i++) {
            Worker chosen = selections.next();
            occupy(chosen, 1);
            toFirst += chosen == fleet.worker(0) ? 1 : 0;
        }
        return toFirst;
    }
}
