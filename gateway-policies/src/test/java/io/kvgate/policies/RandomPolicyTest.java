package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RandomPolicyTest extends LoadBalancingPolicyContract {
    @Override
    protected PolicyConfig config() {
        return new PolicyConfig.Random();
    }

    @Test
    void select_oneOfThreeNotReady_theOthersShareEvenly() {
        // R4
        WorkerFleet fleet = WorkerFleet.ready(3);
        fleet.notReady(fleet.worker(1));
        Map<Worker, Integer> shares = selections(fleet).shares(4_000);
        assertThat(shares).containsOnlyKeys(fleet.worker(0), fleet.worker(2));
        assertThat(shares.get(fleet.worker(0))).isBetween(1_800, 2_200);
    }

    @Test
    void select_loaded_isStillChosen() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        for (int i = 0; i < 100; i++) {
            fleet.worker(0).tryAcquire();
        }
        assertThat(selections(fleet).next(50)).contains(fleet.worker(0));
    }
}
