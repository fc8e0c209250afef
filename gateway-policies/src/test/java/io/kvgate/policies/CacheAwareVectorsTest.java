package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows on cache_aware, by their numbers, with the share alone deciding. {@code docs/policies/cache_aware.md} lists those left out. */
final class CacheAwareVectorsTest {
    private static final String ALPHA = "alpha beta gamma";

    private static int[] numbers(String spaced) {
        return Stream.of(spaced.split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    @ParameterizedTest(name = "{0}: abs {1}, rel {2}, loads {3}")
    @CsvSource(delimiter = '|', textBlock = """
            I1  | 64 | 1.5 | 64 0    | false
            I2  | 64 | 1.5 | 65 0    | true
            I3  | 64 | 1.5 | 200 140 | false
            I4  | 64 | 1.5 | 300 230 | false
            I6  | 64 | 1.5 | 346 230 | true
            I7a | 32 | 1.1 | 32 0    | false
            I7b | 32 | 1.1 | 33 0    | true
            I8  | 32 | 1.1 | 400 365 | false
            I9  | 32 | 1.1 | 110 70  | true
            I10a| 0  | 1.0 | 5 5 5   | false
            I10b| 0  | 1.0 | 6 5     | true
            I11 | 0  | 1.5 | 1 0     | true
            """)
    void imbalance_loads_asInTheTable(String row, int abs, double rel, String loads, boolean imbalanced) {
        int[] requests = numbers(loads);
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.balance(abs, rel), requests.length).loads(requests);
        scene.choose("anything");
        assertThat(scene.reason()).as(row).isEqualTo(imbalanced ? "imbalanced" : "cold");
    }

    @Test
    @DisplayName("I13: an unavailable worker's load doesn't count")
    void imbalance_unavailableWorker_isNotCounted() {
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.balance(64, 1.5), 3).loads(0, 10, 500);
        scene.fleet().notReady(scene.worker('C'));
        assertThat(scene.choose("anything")).isEqualTo('A');
        assertThat(scene.reason()).isEqualTo("cold");
    }

    @ParameterizedTest(name = "{0}: {1}/{2} at {3}")
    @CsvSource(delimiter = '|', textBlock = """
            T1  | 5  | 10  | .5  | false
            T2  | 6  | 10  | .5  | true
            T4  | 31 | 100 | .3  | true
            T5a | 7  | 10  | .7  | false
            T5b | 1  | 10  | .1  | false
            T5c | 2  | 5   | .4  | false
            T5d | 3  | 5   | .6  | false
            T6  | 1  | 3   | 0   | true
            T7  | 0  | 4   | 0   | false
            T8  | 10 | 10  | 1.0 | false
            """)
    void ratio_matchedOfTotal_asInTheTable(String row, int matched, int total, double threshold, boolean hit) {
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.threshold(threshold), 2);
        String common = "m".repeat(matched);
        scene.sent(common + "+", 'A').loads(1, 0);
        assertThat(scene.choose(common + "-".repeat(total - matched))).as(row).isEqualTo(hit ? 'A' : 'B');
        assertThat(scene.reason()).as(row).isEqualTo(hit ? "cache_hit" : "cold");
    }

    @ParameterizedTest(name = "CA1: {0}")
    @ValueSource(strings = {"no workers", "all unhealthy", "all breakers open"})
    void ca1_nobodyAvailable_isNone(String why) {
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.VECTORS, why.equals("no workers") ? 0 : 2);
        for (int i = 0; i < scene.fleet().workers().size(); i++) {
            if (why.equals("all unhealthy")) {
                scene.fleet().notReady(scene.fleet().worker(i));
            } else {
                scene.fleet().openBreaker(scene.fleet().worker(i));
            }
        }
        assertThat(scene.choose("q")).isEqualTo('-');
    }

    @ParameterizedTest(name = "{0}: threshold {1}, loads {2}, sent {3}, asked {4}")
    @CsvSource(delimiter = '|', textBlock = """
            # row | threshold | loads  | sent before        | asked            | allowed | reason      | characters of A, B after
            CA2   | .5        | 0      | q→A                | q                | A       | only_candidate | 1
            CA4   | .5        | 10 0   | alpha beta gamma→A | alpha beta delta | A       | cache_hit   | 21 0
            CA5   | .6875     | 10 0   | alpha beta gamma→A | alpha beta delta | B       | cold        | 16 16
            CA6   | .5        | 40 0   | alpha beta gamma→A | alpha beta gamma | B       | imbalanced  | 16 16
            CA8   | .5        | 32 0   | alpha beta gamma→A | alpha beta gamma | A       | cache_hit   | 16 0
            CA10  | .5        | 40 0 0 | cold→A             | other            | BC      | imbalanced  | 4
            """)
    void row_loadsAndHistory_chooseAsInTheTable(ArgumentsAccessor row) {
        int[] loads = numbers(cell(row, 2));
        CacheAwareScene scene =
                new CacheAwareScene(CacheAwareScene.threshold(Double.parseDouble(cell(row, 1))), loads.length);
        String[] sent = cell(row, 3).split("→");
        scene.sent(sent[0], sent[1].charAt(0)).loads(loads);
        assertThat(cell(row, 5)).as(cell(row, 0)).contains(String.valueOf(scene.choose(cell(row, 4))));
        assertThat(scene.reason()).as(cell(row, 0)).isEqualTo(cell(row, 6));
        int[] after = numbers(cell(row, 7));
        for (int i = 0; i < after.length; i++) {
            assertThat(scene.count((char) ('A' + i))).as(cell(row, 0)).isEqualTo(after[i]);
        }
    }

    private static String cell(ArgumentsAccessor row, int column) {
        return requireNonNull(row.getString(column));
    }

    @Test
    @DisplayName("CA2: one worker, twice the same: counted once")
    void ca2_oneWorkerTwice_countsOnce() {
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.VECTORS, 1);
        assertThat(scene.choose("q")).isEqualTo('A');
        assertThat(scene.choose("q")).isEqualTo('A');
        assertThat(scene.count('A')).isEqualTo(1);
    }

    @Test
    @DisplayName("CA3: the same text stays where it went first")
    void ca3_sameTextThreeTimes_staysWhereItWent() {
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.VECTORS, 2);
        char first = scene.choose(ALPHA);
        assertThat(first).isIn('A', 'B');
        assertThat(scene.choose(ALPHA)).isEqualTo(first);
        assertThat(scene.choose(ALPHA)).isEqualTo(first);
    }

    @Test
    @DisplayName("CA7: after a spill the first holder still answers")
    void ca7_afterASpill_theCreatorAnswers() {
        CacheAwareScene scene =
                new CacheAwareScene(CacheAwareScene.VECTORS, 2).sent(ALPHA, 'A').loads(40, 0);
        assertThat(scene.choose(ALPHA)).isEqualTo('B');
        assertThat(scene.loads(0, 0).choose(ALPHA)).isEqualTo('A');
    }

    @Test
    @DisplayName("CA9: cold texts at equal loads go to each worker alike")
    void ca9_coldTextsEqualLoads_areSpreadEvenly() {
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.VECTORS, 3).loads(7, 7, 7);
        Map<Character, Integer> shares = new HashMap<>();
        for (int i = 0; i < 3_000; i++) {
            shares.merge(scene.choose(Character.toString(0x4E00 + i)), 1, Integer::sum);
        }
        assertThat(shares)
                .hasSize(3)
                .allSatisfy((letter, share) -> assertThat(share).isBetween(900, 1_100));
    }

    @ParameterizedTest(name = "{0}: no text, loads {1}")
    @CsvSource(delimiter = '|', textBlock = """
            CA11 | 5 3  | B
            CA12 | 33 0 | B
            CA13 | 2 9  | A
            """)
    void ca11to13_noText_isLeastLoadAndNothingIsNoted(String row, String loads, char expected) {
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.VECTORS, 2).loads(numbers(loads));
        long before = scene.policy.tree().bytes();
        for (int i = 0; i < 4; i++) {
            assertThat(scene.choose(row.equals("CA13") ? Prompt.ofText("") : Prompt.NONE))
                    .isEqualTo(expected);
            assertThat(scene.reason()).isEqualTo("no_text");
        }
        assertThat(scene.policy.tree().bytes()).as("no new nodes").isEqualTo(before);
        assertThat(scene.count('A') + scene.count('B')).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"CA15: breaker open", "CA14: not ready", "CA32: excluded after it failed"})
    void ca14ca15ca32_holderIsNoCandidate_leastLoadAndHistoryStays(String row) {
        CacheAwareScene scene =
                new CacheAwareScene(CacheAwareScene.VECTORS, 3).sent(ALPHA, 'A').loads(0, 5, 3);
        if (row.startsWith("CA15")) {
            scene.fleet().openBreaker(scene.worker('A'));
        } else if (row.startsWith("CA14")) {
            scene.fleet().notReady(scene.worker('A'));
        } else {
            scene.exclude('A');
        }
        assertThat(scene.choose(ALPHA)).isEqualTo('C');
        assertThat(scene.reason()).isEqualTo("stale_owner");
        assertThat(scene.count('A')).isEqualTo(16);
        assertThat(scene.count('C')).isEqualTo(16);
    }

    @Test
    @DisplayName("CA16: a removed worker's history is gone: least load of the rest")
    void ca16_holderRemoved_isAMiss() {
        CacheAwareScene scene =
                new CacheAwareScene(CacheAwareScene.VECTORS, 3).sent(ALPHA, 'A').loads(0, 5, 3);
        scene.remove('A');
        // Letters have moved up by one.
        assertThat(scene.choose(ALPHA)).isEqualTo('B');
        assertThat(scene.reason()).isEqualTo("cold");
    }

    @Test
    @DisplayName("CA17: the same URL added again begins with nothing")
    void ca17_removedAndAddedAgain_beginsWithNothing() {
        WorkerFleet fleet = WorkerFleet.ready(2);
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.VECTORS, fleet).sent(ALPHA, 'A');
        WorkerSpec spec = scene.worker('A').spec();
        scene.remove('A');
        Worker again = fleet.add(spec);
        assertThat(scene.policy.tree().characters(again)).isZero();
        assertThat(scene.choose(ALPHA)).isIn('A', 'B');
        assertThat(scene.reason()).isEqualTo("cold");
    }

    @Test
    @DisplayName("CA18: another model's pool has a tree of its own")
    void ca18_otherPool_hasItsOwnTree() {
        CacheAwareScene one = new CacheAwareScene(CacheAwareScene.VECTORS, 2).sent(ALPHA, 'A');
        CacheAwareScene other = new CacheAwareScene(CacheAwareScene.VECTORS, 1);
        assertThat(other.choose(ALPHA)).isEqualTo('A');
        assertThat(other.count('A')).isEqualTo(16);
        assertThat(one.count('A')).isEqualTo(16);
        assertThat(one.count('B')).isZero();
    }

    @Test
    @DisplayName("CA21: a hundred cold texts that stay open are halved")
    void ca21_coldTextsStayOpen_areHalved() {
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.VECTORS, 2);
        for (int i = 0; i < 100; i++) {
            scene.send(Character.toString(0x4E00 + i) + " text");
        }
        assertThat(scene.worker('A').inFlight()).isBetween(49, 51);
    }

    @Test
    @DisplayName("CA23: all that share a beginning herd on one worker, while the share alone decides")
    void ca23_sharedBeginning_herdsOnOneWorker() {
        assertThat(herd(CacheAwareScene.VECTORS)).isEqualTo(50);
    }

    @Test
    @DisplayName("CA23 as kvgate decides it by default: the herd is divided")
    void ca23_byWork_isDivided() {
        assertThat(herd(CacheAwareScene.DEFAULT)).isBetween(22, 28);
    }

    /** Fifty sessions that share 90 of 100 characters, each ended after eight more; how many went to the busier worker. */
    private static int herd(PolicyConfig.CacheAware config) {
        CacheAwareScene scene = new CacheAwareScene(config, 2);
        List<Character> chosen = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            chosen.add(scene.send("s".repeat(90) + String.format(Locale.ROOT, "%010d", i * 7_919)));
            if (i >= 8) {
                char ended = chosen.get(i - 8);
                int[] loads = {scene.worker('A').inFlight(), scene.worker('B').inFlight()};
                loads[ended - 'A']--;
                scene.loads(loads);
            }
        }
        int ofA = (int) chosen.stream().filter(letter -> letter == 'A').count();
        return Math.max(ofA, 50 - ofA);
    }

    @Test
    @DisplayName("CA24: after a sweep nobody holds more than the budget")
    void ca24_sweep_keepsTheBudget() {
        PolicyConfig.CacheAware config = new PolicyConfig.CacheAware(
                0.5, 0, 32, 1.1, Duration.ofSeconds(1), 10, PolicySettings.DEFAULT_LOAD_MAX_AGE);
        CacheAwareScene scene = new CacheAwareScene(config, 2).sent("x".repeat(50), 'A');
        assertThat(scene.count('A')).isEqualTo(50);
        scene.fleet().ticker().advance(Duration.ofSeconds(2));
        scene.policy.maintain();
        assertThat(scene.count('A')).isLessThanOrEqualTo(10);
        scene.choose("x".repeat(50));
        assertThat(scene.reason()).isEqualTo("cold");
    }
}
