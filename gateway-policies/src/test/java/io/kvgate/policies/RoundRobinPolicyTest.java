package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RoundRobinPolicyTest extends LoadBalancingPolicyContract {
    @Override
    protected PolicyConfig config() {
        return new PolicyConfig.RoundRobin();
    }

    private static List<Worker> at(WorkerFleet fleet, int... indexes) {
        return Arrays.stream(indexes).mapToObj(fleet::worker).toList();
    }

    @Test
    void select_threeReady_inTurn() {
        // RR1
        WorkerFleet fleet = WorkerFleet.ready(3);
        assertThat(selections(fleet).next(7)).isEqualTo(at(fleet, 0, 1, 2, 0, 1, 2, 0));
    }

    @Test
    void select_oneNotReady_isLeftOut() {
        // RR2
        WorkerFleet fleet = WorkerFleet.ready(3);
        fleet.notReady(fleet.worker(1));
        assertThat(selections(fleet).next(4)).isEqualTo(at(fleet, 0, 2, 0, 2));
    }

    @Test
    void select_noneAvailable_doesNotMoveTheTurn() {
        // RR4
        WorkerFleet fleet = WorkerFleet.ready(3);
        LoadBalancingPolicy policy = policy(fleet);
        for (int i = 0; i < 5; i++) {
            Candidates none = new Candidates().fill(fleet.pool(), Set.copyOf(fleet.workers()));
            assertThat(policy.select(none, Selections.context())).isNull();
        }
        assertThat(new Selections(policy, fleet).next()).isSameAs(fleet.worker(0));
    }

    @Test
    void select_newInstance_beginsAtTheFirst() {
        // RR5: a policy lives as long as its pool, so a new one takes the place of a reset.
        WorkerFleet fleet = WorkerFleet.ready(3);
        selections(fleet).next(2);
        assertThat(selections(fleet).next()).isSameAs(fleet.worker(0));
    }

    @Test
    void select_twoPools_shareNoCounter() {
        // RR7
        WorkerFleet first = WorkerFleet.ready(2);
        WorkerFleet second = WorkerFleet.ready(2);
        Selections ofFirst = selections(first);
        Selections ofSecond = selections(second);
        for (int turn : new int[] {0, 1, 0, 1}) {
            assertThat(ofFirst.next()).isSameAs(first.worker(turn));
            assertThat(ofSecond.next()).isSameAs(second.worker(turn));
        }
    }
}
