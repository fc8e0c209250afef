package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class KeyGroupsTest {
    private static final long SEED = 20_261_129L;

    private record Stay(Worker worker, String key) {}

    @Test
    void size_anyEntersAndLeaves_isTheNumberOfDistinctKeys() {
        Random random = new Random(SEED);
        KeyGroups groups = new KeyGroups();
        List<Worker> workers = WorkerFleet.ready(3).workers();
        List<Stay> stays = new ArrayList<>();
        for (int step = 0; step < 5_000; step++) {
            if (stays.size() < 20 && random.nextBoolean()) {
                Stay stay = new Stay(workers.get(random.nextInt(3)), "k" + random.nextInt(6));
                groups.enter(stay.worker, stay.key);
                stays.add(stay);
            } else if (!stays.isEmpty()) {
                Stay stay = stays.remove(random.nextInt(stays.size()));
                groups.leave(stay.worker, stay.key);
            }
            for (Worker worker : workers) {
                Set<String> keys = new HashSet<>();
                stays.stream().filter(stay -> stay.worker == worker).forEach(stay -> keys.add(stay.key));
                assertThat(groups.size(worker))
                        .as("step %d, seed %d", step, SEED)
                        .isEqualTo(keys.size());
            }
        }
    }

    @Test
    void leave_neverEntered_doesNothing() {
        KeyGroups groups = new KeyGroups();
        Worker worker = WorkerFleet.ready(1).worker(0);
        groups.leave(worker, "k");
        groups.enter(worker, "a");
        groups.leave(worker, "k");
        assertThat(groups.size(worker)).isEqualTo(1);
    }

    @Test
    void enterAndLeave_manyThreads_endAtZero() throws Exception {
        KeyGroups groups = new KeyGroups();
        Worker worker = WorkerFleet.ready(1).worker(0);
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                results.add(executor.submit(() -> {
                    int least = Integer.MAX_VALUE;
                    for (int i = 0; i < 20_000; i++) {
                        groups.enter(worker, "k" + i % 5);
                        least = Math.min(least, groups.size(worker));
                        groups.leave(worker, "k" + i % 5);
                    }
                    return least;
                }));
            }
            for (Future<Integer> result : results) {
                assertThat(result.get(20, TimeUnit.SECONDS)).isPositive();
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(groups.size(worker)).isZero();
    }
}
