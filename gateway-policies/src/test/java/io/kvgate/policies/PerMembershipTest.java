package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PerMembershipTest {
    private final List<List<Worker>> made = new ArrayList<>();
    private final PerMembership<Integer> held = new PerMembership<>(0, (before, members) -> {
        made.add(members);
        return before * 10 + members.size();
    });

    @Test
    void of_samePool_isMadeOnce() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        assertThat(held.of(fleet.pool())).isEqualTo(3);
        assertThat(held.of(fleet.pool())).isEqualTo(3);
        assertThat(made).hasSize(1);
    }

    @Test
    void of_statusChangesOnly_isNotMadeAnew() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        held.of(fleet.pool());
        fleet.notReady(fleet.worker(1));
        assertThat(held.of(fleet.pool())).isEqualTo(3);
        assertThat(made).hasSize(1);
    }

    @Test
    void of_membersChange_isMadeOfWhatWasThere() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        held.of(fleet.pool());
        fleet.add();
        assertThat(held.of(fleet.pool())).isEqualTo(34);
        fleet.remove(fleet.worker(0));
        fleet.add();
        assertThat(held.of(fleet.pool())).isEqualTo(344);
        assertThat(held.latest()).isEqualTo(344);
        assertThat(made.get(2)).isEqualTo(fleet.workers());
    }

    @Test
    void of_noMembers_isWhatWasGivenForNone() {
        assertThat(held.of(WorkerFleet.ready(0).pool())).isZero();
        assertThat(made).isEmpty();
    }
}
