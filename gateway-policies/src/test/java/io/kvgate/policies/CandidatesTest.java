package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.worker.WorkerFleet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CandidatesTest {
    @Test
    void fill_moreWorkersThanBefore_takesAll() {
        Candidates candidates = new Candidates().fill(WorkerFleet.ready(3).pool(), Set.of());
        assertThat(candidates.size()).isEqualTo(3);
        WorkerFleet large = WorkerFleet.ready(40);
        candidates.fill(large.pool(), Set.of(large.worker(5)));
        assertThat(candidates.size()).isEqualTo(39);
        assertThat(candidates.get(5)).isSameAs(large.worker(6));
        assertThat(candidates.key()).isEqualTo(large.pool().key());
    }

    @Test
    void fill_restingWorkers_areTakenOnlyIfThereIsNoOther() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        fleet.worker(0).rest(1_000);
        fleet.worker(2).rest(2_000);
        Candidates candidates = new Candidates().fill(fleet.pool(), Set.of());
        assertThat(candidates.size()).isEqualTo(1);
        assertThat(candidates.get(0)).isSameAs(fleet.worker(1));
        candidates.fill(fleet.pool(), Set.of(fleet.worker(1)));
        assertThat(candidates.size()).isEqualTo(2);
        fleet.ticker().advanceNanos(1_000);
        candidates.fill(fleet.pool(), Set.of(fleet.worker(1)));
        assertThat(candidates.size()).isEqualTo(1);
        assertThat(candidates.get(0)).isSameAs(fleet.worker(0));
    }

    @Test
    void remove_one_keepsTheOrder() {
        WorkerFleet fleet = WorkerFleet.ready(3);
        Candidates candidates = new Candidates().fill(fleet.pool(), Set.of());
        candidates.remove(fleet.worker(1));
        candidates.remove(fleet.worker(1));
        assertThat(candidates.size()).isEqualTo(2);
        assertThat(candidates.get(0)).isSameAs(fleet.worker(0));
        assertThat(candidates.get(1)).isSameAs(fleet.worker(2));
    }

    @Test
    void get_beyondTheEnd_isRefused() {
        Candidates candidates = new Candidates().fill(WorkerFleet.ready(1).pool(), Set.of());
        assertThatThrownBy(() -> candidates.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
        candidates.clear();
        assertThat(candidates.isEmpty()).isTrue();
    }
}
