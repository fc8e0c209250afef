package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerLoad;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows R, RR and P, and G11: random, round_robin, power_of_two. */
final class SimplePoliciesTest {
    private static PolicyScene scene(String policy, String workers) {
        return new PolicyScene(PolicySettings.DEFAULT.named(policy), workers);
    }

    @ParameterizedTest(name = "{0}: {1}, workers {2}, {3} requests -> only {4}")
    @CsvSource({
        "R1,  random,       '',        1,   -",
        "R2,  random,       A,         5,   A",
        "R3,  random,       A!U B!O,   1,   -",
        "R4,  random,       A B!U C,   400, A C",
        "RR8, round_robin,  '',        1,   -",
        "P1,  power_of_two, A B=9,     100, A",
        "P3,  power_of_two, A B=10 C=20, 300, A B",
        "P8,  power_of_two, A!U B C!O, 10,  B",
        "P9,  power_of_two, '',        1,   -",
        "P9,  power_of_two, A!U,       1,   -"
    })
    void select_row(String row, String policy, String workers, int requests, String chosen) {
        assertThat(String.join(
                        " ",
                        new TreeSet<>(scene(policy, workers).shares(requests).keySet())))
                .as(row)
                .isEqualTo(chosen);
    }

    @ParameterizedTest(name = "{0}: {1}, workers {2}, {3} requests -> A 45 to 55 %")
    @CsvSource({"R4, random, A B!U C, 4000", "P2, power_of_two, A=5 B=5, 2000"})
    void select_equals_shareEvenly(String row, String policy, String workers, int requests) {
        Map<String, Integer> shares = scene(policy, workers).shares(requests);
        assertThat(requireNonNull(shares.get("A"))).as(row).isBetween((int) (requests * 0.45), (int) (requests * 0.55));
    }

    @ParameterizedTest(name = "{0}: round_robin, workers {1} -> {2}")
    @CsvSource({"RR1, A B C, A B C A B C A", "RR2, A B!U C, A C A C"})
    void select_inTurn_row(String row, String workers, String expected) {
        PolicyScene scene = scene("round_robin", workers);
        for (String worker : expected.split(" ")) {
            assertThat(scene.next()).as(row).isEqualTo(worker);
        }
    }

    @Test
    @DisplayName("RR4: all unhealthy x5, then A B C -> A")
    void select_noneAvailable_theTurnStays() {
        PolicyScene scene = scene("round_robin", "A!U B!U C!U");
        for (int i = 0; i < 5; i++) {
            assertThat(scene.next()).isEqualTo(PolicyScene.NOTHING);
        }
        scene.recover("A");
        scene.recover("B");
        scene.recover("C");
        assertThat(scene.next()).isEqualTo("A");
    }

    @Test
    @DisplayName("RR7: two pools, 4 pairs -> P1 D1, P2 D2, P1 D1, P2 D2")
    void select_twoPools_shareNoTurn() {
        PolicyScene prefill = scene("round_robin", "P Q");
        PolicyScene decode = scene("round_robin", "D E");
        StringBuilder pairs = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            pairs.append(prefill.next()).append(decode.next()).append(' ');
        }
        assertThat(pairs.toString()).isEqualTo("PD QE PD QE ");
    }

    private static void report(PolicyScene scene, String worker, long tokens) {
        scene.worker(worker)
                .reportLoad(new WorkerLoad(
                        -1, -1, tokens, Double.NaN, scene.ticker().nanos()));
    }

    @Test
    @DisplayName("P4: polled tokens A 900, B 100; counts A 0, B 9 -> B")
    void select_polledTokens_winOverCounts() {
        PolicyScene scene = scene("power_of_two", "A B=9");
        report(scene, "A", 900);
        report(scene, "B", 100);
        assertThat(scene.shares(50)).containsOnlyKeys("B");
    }

    @Test
    @DisplayName("P6: poll A 900, B 100, then A's fails -> counts")
    void select_onePollFails_countsDecide() {
        PolicyScene scene = scene("power_of_two", "A B=9");
        report(scene, "A", 900);
        report(scene, "B", 100);
        scene.worker("A").reportLoad(null);
        assertThat(scene.shares(50)).containsOnlyKeys("A");
    }

    @ParameterizedTest(name = "G11: in flight after a stay that {0} -> 0, once")
    @ValueSource(strings = {"succeeded", "failed", "was ignored", "was just closed"})
    void inFlight_afterAnyEnd_isZeroOnce(String end) {
        PolicyScene scene = scene("power_of_two", "A");
        LoadGuard guard = scene.occupy("A", 1).get(0);
        switch (end) {
            case "succeeded" -> guard.succeeded();
            case "failed" -> guard.failed();
            case "was ignored" -> guard.ignored();
            default -> assertThat(scene.worker("A").inFlight()).isEqualTo(1);
        }
        guard.close();
        guard.close();
        assertThat(scene.worker("A").inFlight()).isZero();
    }

    @Test
    void fewest_equalOnes_areDrawnEvenly() {
        PolicyScene scene = new PolicyScene(new PolicyConfig.LeastLoad(Duration.ofSeconds(10)), "A=2 B=1 C=1 D=3 E=1");
        Candidates candidates = new Candidates().fill(scene.fleet().pool(), Set.of());
        SplitMixRandom random = new SplitMixRandom(PolicyScene.SEED);
        int[] drawn = new int[5];
        for (int i = 0; i < 3_000; i++) {
            drawn[scene.fleet().workers().indexOf(FewestOf.among(candidates, Worker::inFlight, random))]++;
        }
        assertThat(drawn[0] + drawn[3]).isZero();
        assertThat(drawn[1]).isBetween(880, 1_120);
        assertThat(drawn[2]).isBetween(880, 1_120);
        assertThat(drawn[4]).isBetween(880, 1_120);
    }
}
