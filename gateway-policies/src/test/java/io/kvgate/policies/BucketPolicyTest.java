package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.Prompt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows B1 to B22. "No balancing" is an absolute threshold that is never passed. */
final class BucketPolicyTest extends LoadBalancingPolicyContract {
    private static final String[] BRANCHES = {"no_healthy_workers", "range", "next_range", "least_work"};
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final PolicyConfig NO_BALANCING = new PolicyConfig.Bucket(Integer.MAX_VALUE, 1.0, INTERVAL);
    private static final long SEED = 20_261_129L;

    @Override
    protected PolicyConfig config() {
        return new PolicyConfig.Bucket(64, 1.5, INTERVAL);
    }

    /** Equal prompts are of one range. */
    @Override
    protected boolean spreadsEqualRequests() {
        return false;
    }

    private static PolicyConfig balancing(double rel) {
        return new PolicyConfig.Bucket(32, rel, INTERVAL);
    }

    /** Where prompts of these lengths go, one after another. */
    private static String choices(PolicyScene scene, String lengths) {
        List<String> chosen = new ArrayList<>();
        for (String length : lengths.split(" ")) {
            chosen.add(scene.characters(Integer.parseInt(length)));
        }
        return String.join(" ", chosen);
    }

    /** The ranges as {@code [0,60][61,MAX]}. */
    private static String ranges(PolicyScene scene) {
        return BucketRangesTest.text(((BucketPolicy) scene.policy()).ranges());
    }

    /** Lets that time pass, and divides the ranges anew if that is due. */
    private static void adjustAfter(PolicyScene scene, Duration time) {
        scene.ticker().advance(time);
        scene.policy().maintain();
    }

    private static void adjust(PolicyScene scene) {
        adjustAfter(scene, INTERVAL);
    }

    @ParameterizedTest(name = "{0}: workers {1}, no balancing: {2} -> {3}, adjust -> {4}")
    @CsvSource({
        "B2,  A B,   0 2047 2048 1000000,  A A B B,     ''",
        "B3,  A B C, 8 8 8 40 60 100,      A A A A A A, '[0,60][61,100][101,MAX]'",
        "B6,  A B,   10 20 30 40,          A A A A,     '[0,30][31,MAX]'",
        "B8,  A B,   0,                    A,           '[0,0][1,MAX]'",
        "B9,  A B,   500000,               B,           '[0,500000][500001,MAX]'"
    })
    void select_row(String row, String workers, String lengths, String expected, String divided) {
        PolicyScene scene = new PolicyScene(NO_BALANCING, workers);
        assertThat(choices(scene, lengths)).as(row).isEqualTo(expected);
        assertThat(scene.reason()).isEqualTo("range");
        if (!divided.isEmpty()) {
            adjust(scene);
            assertThat(ranges(scene)).as(row).isEqualTo(divided);
        }
    }

    @Test
    @DisplayName(
            "B5: divided as in B3, 6 s later 100 200 300 400 500 -> B C C C C, adjust -> [0,300][301,500][501,MAX]")
    void select_dividedBefore_isDividedAnewByTheNewLengths() {
        PolicyScene scene = new PolicyScene(NO_BALANCING, "A B C");
        choices(scene, "8 8 8 40 60 100");
        adjust(scene);
        scene.ticker().advance(Duration.ofSeconds(6));
        assertThat(choices(scene, "100 200 300 400 500")).isEqualTo("B C C C C");
        scene.policy().maintain();
        assertThat(ranges(scene)).isEqualTo("[0,300][301,500][501,MAX]");
    }

    @Test
    void maintain_workAlike_rangesStay() {
        PolicyScene scene = new PolicyScene(NO_BALANCING, "A B");
        choices(scene, "10 20 30 40");
        adjust(scene);
        scene.ticker().advance(Duration.ofSeconds(6));
        // 100 per range, twice what it was: not more than twice.
        choices(scene, "80 120");
        scene.policy().maintain();
        assertThat(ranges(scene)).isEqualTo("[0,30][31,MAX]");
        scene.ticker().advance(Duration.ofSeconds(6));
        choices(scene, "80 122");
        scene.policy().maintain();
        assertThat(ranges(scene)).isEqualTo("[0,122][123,MAX]");
    }

    @Test
    @DisplayName("B11: no requests, adjust -> no change")
    void maintain_noRequests_rangesStay() {
        PolicyScene scene = new PolicyScene(NO_BALANCING, "A B");
        choices(scene, "10 20 30 40");
        adjust(scene);
        for (int i = 0; i < 5; i++) {
            adjustAfter(scene, Duration.ofSeconds(20));
        }
        assertThat(ranges(scene)).isEqualTo("[0,30][31,MAX]");
    }

    @Test
    void maintain_beforeTheInterval_rangesStay() {
        PolicyScene scene = new PolicyScene(NO_BALANCING, "A B");
        choices(scene, "10 20 30 40");
        adjustAfter(scene, INTERVAL.minusNanos(1));
        assertThat(ranges(scene)).isEqualTo("[0,2047][2048,MAX]");
        adjustAfter(scene, Duration.ofNanos(1));
        assertThat(ranges(scene)).isEqualTo("[0,30][31,MAX]");
    }

    @Test
    @DisplayName("B12: 3 workers, 33 34 34 -> A, {B,C}, the other; adjust -> [0,33][34,67][68,MAX]")
    void select_uneven_theLeast() {
        PolicyScene scene = new PolicyScene(balancing(1.0001), "A B C");
        assertThat(choices(scene, "33 34 34")).isIn("A B C", "A C B");
        assertThat(scene.branches(GatewayMeter.BUCKET_BRANCH, BRANCHES))
                .containsOnly(Map.entry("range", 1L), Map.entry("least_work", 2L));
        adjust(scene);
        assertThat(ranges(scene)).isEqualTo("[0,33][34,67][68,MAX]");
    }

    @Test
    @DisplayName("B13: 3 workers, 40 x4 -> A, {B,C}, the other, A")
    void select_allHadOne_theRangeAgain() {
        assertThat(choices(new PolicyScene(balancing(1.0001), "A B C"), "40 40 40 40"))
                .isIn("A B C A", "A C B A");
    }

    @ParameterizedTest(name = "{0}: 2 workers, abs 32, rel {1}: {2} -> {3}")
    @CsvSource({
        "B14, 1.0001, 32 32 33 10, A A B A",
        "B15, 1.0001, 33 10, A B",
        // 300 and 200 (the first of which is never more than rel times the second), then 401 and 200
        "B16, 2.0, 2048 1024 1000 100, B A A A"
    })
    void select_twoWorkers_row(String row, double rel, String lengths, String expected) {
        assertThat(choices(new PolicyScene(balancing(rel), "A B"), lengths))
                .as(row)
                .isEqualTo(expected);
    }

    @ParameterizedTest(name = "B16: sums {0}, rel 2.0: 100 -> {1}")
    @CsvSource({"200 300, A", "200 401, A", "300 200, A", "401 200, B"})
    void select_relativeThreshold_isStrict(String sums, String expected) {
        PolicyScene scene = new PolicyScene(balancing(2.0), "A B");
        String[] sum = sums.split(" ");
        scene.unhealthy("B");
        scene.characters(Integer.parseInt(sum[0]));
        scene.recover("B");
        scene.unhealthy("A");
        scene.characters(Integer.parseInt(sum[1]));
        scene.recover("A");
        assertThat(scene.characters(100)).isEqualTo(expected);
    }

    @Test
    @DisplayName("B18: 100 300 at A, then B is added -> [0,300][301,MAX] at once")
    void select_workerAdded_rangesAreDividedAtOnce() {
        PolicyScene scene = new PolicyScene(NO_BALANCING, "A");
        assertThat(choices(scene, "100 300")).isEqualTo("A A");
        scene.add("B");
        assertThat(choices(scene, "300 301")).isEqualTo("A B");
        assertThat(ranges(scene)).isEqualTo("[0,300][301,MAX]");
    }

    @Test
    void select_workerAddedBeforeAnyRequest_rangesAreTheFirstOnes() {
        PolicyScene scene = new PolicyScene(NO_BALANCING, "A B");
        scene.add("C");
        scene.add("D");
        scene.characters(0);
        assertThat(ranges(scene)).isEqualTo("[0,1023][1024,2047][2048,3071][3072,MAX]");
    }

    @Test
    void select_workerRemoved_workOfTheOthersStillCounts() {
        PolicyScene scene = new PolicyScene(balancing(1.5), "A B C");
        scene.unhealthy("B");
        scene.unhealthy("C");
        scene.characters(1_000);
        scene.recover("B");
        scene.remove("C");
        // By range it were A; but A has its 1,000 still.
        assertThat(scene.characters(10)).isEqualTo("B");
        assertThat(scene.reason()).isEqualTo("least_work");
    }

    @ParameterizedTest(name = "B19: workers {0}, {1} characters -> {2}, next_range")
    @CsvSource({"A!U B, 10, B", "A B!U C, 1400, C", "A B!U C!U, 1400, A", "A!O B!U C, 10, C", "A B!U, 9999, A"})
    void select_ownerNotAvailable_theNextRange(String workers, int length, String expected) {
        PolicyScene scene = new PolicyScene(NO_BALANCING, workers);
        assertThat(scene.characters(length)).isEqualTo(expected);
        assertThat(scene.reason()).isEqualTo("next_range");
    }

    @Test
    void select_unavailableWorkerHasTheLeast_hasNoSay() {
        PolicyScene scene = new PolicyScene(balancing(1.0001), "A B C!U");
        assertThat(choices(scene, "100 100 10 10")).isEqualTo("A B A A");
    }

    @Test
    @DisplayName("B20: absent text -> 0 characters; three emoji -> 3")
    void select_characters_areCodePoints() {
        PolicyScene scene = new PolicyScene(NO_BALANCING, "A B");
        scene.next();
        scene.prompt(Prompt.ofText("😀😀😀"));
        scene.prompt(Prompt.of("a scope that doesn't count", "ab"));
        adjust(scene);
        assertThat(ranges(scene)).isEqualTo("[0,2][3,MAX]");
    }

    @Test
    @DisplayName("B21: no workers -> nothing")
    void select_noWorkers_isNothing() {
        PolicyScene scene = new PolicyScene(config(), "");
        assertThat(scene.characters(5)).isEqualTo(PolicyScene.NOTHING);
        assertThat(scene.branches(GatewayMeter.BUCKET_BRANCH, BRANCHES))
                .containsExactly(Map.entry("no_healthy_workers", 1L));
    }

    @Test
    void select_workOlderThanTheInterval_noLongerCounts() {
        PolicyScene scene = new PolicyScene(balancing(1.5), "A B");
        assertThat(choices(scene, "1000 10")).isEqualTo("A B");
        scene.ticker().advance(INTERVAL);
        assertThat(scene.characters(10)).as("within the interval").isEqualTo("B");
        scene.ticker().advance(INTERVAL.dividedBy(5));
        assertThat(scene.characters(10)).as("after it").isEqualTo("A");
    }

    @Test
    void maintain_nobodyAsks_workDecaysAllTheSame() {
        PolicyScene scene = new PolicyScene(new PolicyConfig.Bucket(32, 1.5, INTERVAL), "A B");
        scene.characters(1_000);
        adjustAfter(scene, INTERVAL.multipliedBy(2));
        assertThat(scene.characters(10)).isEqualTo("A");
    }

    @Test
    @DisplayName("B22: after anything, one range per worker, without gaps, from 0 to MAX")
    void ranges_afterAnything_coverAllLengths() {
        Random random = new Random(SEED);
        PolicyScene scene = new PolicyScene(config(), "A B C");
        String names = "ABCDEFGH";
        for (int step = 0; step < 2_000; step++) {
            String name = names.substring(random.nextInt(1, 8)).substring(0, 1);
            boolean present = scene.fleet().workers().stream()
                    .anyMatch(worker -> worker.spec().url().equals(PolicyScene.url(name)));
            switch (random.nextInt(12)) {
                case 0 -> {
                    if (present) {
                        scene.remove(name);
                    } else {
                        scene.add(name);
                    }
                }
                case 1 -> adjustAfter(scene, Duration.ofMillis(random.nextInt(9_000)));
                case 2 -> scene.ticker().advance(Duration.ofMillis(random.nextInt(900)));
                default ->
                    assertThat(scene.characters((int) Math.exp(random.nextDouble() * 10)))
                            .as("step %d, seed %d", step, SEED)
                            .isNotEqualTo(PolicyScene.NOTHING);
            }
            BucketRanges ranges = ((BucketPolicy) scene.policy()).ranges();
            BucketRangesTest.assertCoverAll(ranges);
        }
    }
}
