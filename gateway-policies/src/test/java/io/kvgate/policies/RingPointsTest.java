package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.policies.hash.TokenHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RingPointsTest {
    private static final long SEED = 20_261_129L;

    @Test
    void of_anyHashAgainAndAgain_isTheRingPoint() {
        Random random = new Random(SEED);
        RingPoints points = new RingPoints();
        long[] hashes = random.longs(20_000).toArray();
        for (int i = 0; i < 60_000; i++) {
            long hash = hashes[random.nextInt(hashes.length)];
            assertThat(points.of(hash)).as("seed %d", SEED).isEqualTo(TokenHash.ringPoint(hash));
        }
    }

    @Test
    void of_smallHashes_areNotTakenForUntouchedCells() {
        RingPoints points = new RingPoints();
        for (long hash : new long[] {0, 1, 4_096, 4_097, -1, 0, 1}) {
            assertThat(points.of(hash)).isEqualTo(TokenHash.ringPoint(hash));
        }
    }

    @Test
    void of_oneCellFromManyThreads_isNeverMixedUp() throws Exception {
        RingPoints points = new RingPoints();
        ExecutorService executor = Executors.newFixedThreadPool(3);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                SplittableRandom random = new SplittableRandom(SEED + t);
                results.add(executor.submit(() -> {
                    int wrong = 0;
                    for (int i = 0; i < 200_000; i++) {
                        long hash = random.nextLong(7) << 12;
                        wrong += points.of(hash) == TokenHash.ringPoint(hash) ? 0 : 1;
                    }
                    return wrong;
                }));
            }
            for (Future<Integer> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isZero();
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
