package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.core.worker.WorkerMetadata;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract, and the rule by saved work that is the default. */
final class CacheAwarePolicyTest extends LoadBalancingPolicyContract {
    private static final String PROMPT = "You are a helpful assistant. ".repeat(276);

    @Override
    protected PolicyConfig config() {
        return CacheAwareScene.DEFAULT;
    }

    private static CacheAwareScene scene(int workers) {
        return new CacheAwareScene(CacheAwareScene.DEFAULT, workers);
    }

    /** A scene in which a request brings about so many characters that nobody has seen. */
    private static CacheAwareScene warm(int workers, int uncached) {
        CacheAwareScene scene = scene(workers);
        for (int i = 0; i < 300; i++) {
            scene.choose(Character.toString(0x4E00 + i) + "u".repeat(uncached - 1));
        }
        return scene;
    }

    @Test
    void select_equalPromptsOpen_areSharedByAsManyAsTheTrafficNeeds() {
        CacheAwareScene scene = warm(4, 3_200);
        for (int i = 0; i < 8; i++) {
            scene.send(PROMPT + i);
        }
        // 8,004 characters are worth ten requests, each with a quarter of 3,200 to do, so eight stay together.
        assertThat(scene.fleet().workers().stream().filter(worker -> worker.inFlight() > 0))
                .hasSize(1);
        for (int i = 8; i < 80; i++) {
            scene.send(PROMPT + i);
        }
        assertThat(scene.fleet().workers()).allMatch(worker -> worker.inFlight() >= 12, "has its part");
    }

    @Test
    void select_holderIsAhead_byLessThanItSaves_isTaken() {
        CacheAwareScene scene = warm(2, 4_000).sent(PROMPT, 'A');
        assertThat(scene.loads(7, 0).choose(PROMPT)).isEqualTo('A');
        assertThat(scene.reason()).isEqualTo("cache_hit");
        CacheAwareScene busy = warm(2, 4_000).sent(PROMPT, 'A');
        assertThat(busy.loads(9, 0).choose(PROMPT)).isEqualTo('B');
        assertThat(busy.reason()).isEqualTo("holder_busy");
    }

    @Test
    void select_noMeanYet_equalLoads_followsThePrefix() {
        CacheAwareScene scene = scene(3);
        char first = scene.choose(PROMPT);
        for (int i = 0; i < 20; i++) {
            assertThat(scene.choose(PROMPT + i)).isEqualTo(first);
        }
    }

    @Test
    void select_tinyMatch_isWorthNoWait() {
        CacheAwareScene scene = warm(2, 300).sent("Hello there", 'A');
        assertThat(scene.loads(0, 0).choose("Hello there")).isEqualTo('A');
        assertThat(scene.reason()).isEqualTo("cache_hit");
        assertThat(scene.loads(1, 0).choose("Hello there")).isEqualTo('B');
        assertThat(scene.reason()).isEqualTo("holder_busy");
    }

    @Test
    void select_everythingCached_waitingStillCosts() {
        // Every prompt is known in full, so the mean tends to 0; the floor lets 2,001 characters hold 31 requests.
        CacheAwareScene scene = scene(2);
        String prompt = PROMPT.substring(0, 2_001);
        for (int i = 0; i < 2_000; i++) {
            scene.choose(prompt);
        }
        for (int i = 0; i < 31; i++) {
            scene.send(prompt);
        }
        assertThat(scene.fleet().workers()).anyMatch(worker -> worker.inFlight() == 31);
        for (int i = 31; i < 70; i++) {
            scene.send(prompt);
        }
        assertThat(scene.worker('A').inFlight()).isBetween(30, 40);
    }

    @Test
    void select_manyTenantsUnderLoad_settleInsteadOfSpillingForEver() {
        // From cold, with loads uneven all the time: the mean must fall to what tenants add, so that prefixes decide in
        // the end.
        CacheAwareScene scene = scene(4).loads(2, 0, 1, 3);
        int hits = 0;
        for (int i = 0; i < 2_000; i++) {
            scene.choose("tenant " + (i * 7_919) % 100 + " " + PROMPT + i);
            hits += i >= 1_500 && scene.reason().equals("cache_hit") ? 1 : 0;
        }
        assertThat(hits).isGreaterThan(490);
    }

    @Test
    void select_longUniqueEnd_isDecidedBySavedWork() {
        CacheAwareScene scene = warm(2, 4_000).sent(PROMPT, 'A');
        assertThat(scene.loads(2, 0).choose(PROMPT + "d".repeat(100_000))).isEqualTo('A');
        assertThat(scene.reason()).isEqualTo("saved_work");
    }

    @Test
    void select_severalHolders_leastLoadedOfThem() {
        CacheAwareScene scene =
                warm(4, 4_000).sent(PROMPT, 'A').sent(PROMPT, 'C').loads(3, 0, 1, 0);
        assertThat(scene.choose(PROMPT)).isEqualTo('C');
    }

    @Test
    void select_equalHolders_byChance() {
        CacheAwareScene scene = warm(4, 4_000).sent(PROMPT, 'A').sent(PROMPT, 'C');
        Map<Character, Integer> shares = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            shares.merge(scene.choose(PROMPT), 1, Integer::sum);
        }
        assertThat(shares.keySet()).containsExactlyInAnyOrder('A', 'C');
        assertThat(shares.get('A')).isBetween(900, 1_100);
    }

    @Test
    void select_firstHolderGone_anotherHolderAnswers() {
        CacheAwareScene scene =
                warm(4, 4_000).sent(PROMPT, 'A').sent(PROMPT, 'C').exclude('A');
        assertThat(scene.choose(PROMPT)).isEqualTo('C');
        assertThat(scene.reason()).isEqualTo("cache_hit");
    }

    @Test
    void select_conversationsHolderIsBusy_goesToAHolderOfTheSystemPrompt() {
        CacheAwareScene scene = warm(4, 4_000);
        String conversation = PROMPT + "turn ".repeat(400);
        scene.sent(conversation, 'A').sent(PROMPT, 'D').loads(20, 0, 0, 0);
        assertThat(scene.choose(conversation)).isEqualTo('D');
        assertThat(scene.reason()).isEqualTo("shorter_match");
    }

    @Test
    void select_manyHolders_oneIsFoundThoughMostAreNoCandidates() {
        WorkerFleet fleet = WorkerFleet.ready(40);
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.DEFAULT, fleet);
        for (int i = 0; i < 39; i++) {
            scene.policy.tree().insert(Prompt.ofText(PROMPT), fleet.worker(i));
            if (i != 17) {
                fleet.notReady(fleet.worker(i));
            }
        }
        assertThat(scene.choose(PROMPT)).isEqualTo(scene.letter(fleet.worker(17)));
        assertThat(scene.reason()).isEqualTo("cache_hit");
    }

    @Test
    void select_otherScope_sharesNothing() {
        CacheAwareScene scene = scene(2).loads(1, 0);
        scene.policy.tree().insert(Prompt.of("\1salt one\2", PROMPT), scene.worker('A'));
        assertThat(scene.choose(Prompt.of("\1salt one\2", PROMPT))).isEqualTo('A');
        assertThat(scene.choose(Prompt.of("\1salt two\2", PROMPT))).isEqualTo('B');
        assertThat(scene.reason()).isEqualTo("cold");
    }

    @Test
    void select_guard_countsInRequestsThoughEnginesReportTokens() {
        CacheAwareScene scene = scene(2).sent(PROMPT, 'A');
        for (Worker worker : scene.fleet().workers()) {
            long tokens = worker == scene.worker('A') ? 90_000 : 10;
            worker.reportLoad(new WorkerLoad(
                    -1, -1, tokens, Double.NaN, scene.fleet().ticker().nanos()));
        }
        assertThat(scene.choose(PROMPT)).isEqualTo('A');
    }

    @Test
    void select_oneReportMissing_comparesOwnRequests() {
        CacheAwareScene scene = scene(3).reported(0, 50).loads(4, 3, 2);
        assertThat(scene.choose("cold")).isEqualTo('C');
    }

    @Test
    void select_eachBranch_isCounted() {
        CacheAwareScene scene = scene(2);
        scene.choose(PROMPT);
        scene.choose(PROMPT);
        scene.choose("");
        assertThat(scene.metrics.value(GatewayMeter.CACHE_AWARE_BRANCH, "cold")).isEqualTo(1);
        assertThat(scene.metrics.value(GatewayMeter.CACHE_AWARE_BRANCH, "cache_hit"))
                .isEqualTo(1);
        assertThat(scene.metrics.value(GatewayMeter.CACHE_AWARE_BRANCH, "no_text"))
                .isEqualTo(1);
        assertThat(scene.metrics.value(GatewayMeter.CACHE_AWARE_SKIPPED)).isEqualTo(0);
    }

    @Test
    void select_noRoom_choosesAllTheSameAndCounts() {
        PolicyConfig.CacheAware config = new PolicyConfig.CacheAware(
                0.3, 2_048, 64, 1.5, Duration.ofSeconds(60), 1_000, PolicySettings.DEFAULT_LOAD_MAX_AGE);
        CacheAwareScene scene = new CacheAwareScene(config, 1);
        assertThat(scene.choose("x".repeat(100_000))).isEqualTo('A');
        assertThat(scene.metrics.value(GatewayMeter.CACHE_AWARE_SKIPPED)).isEqualTo(1);
        assertThat(scene.count('A')).isZero();
    }

    @Test
    void maintain_overHalfAgainTheBudget_sweepsBeforeTheInterval() {
        PolicyConfig.CacheAware config = new PolicyConfig.CacheAware(
                0.3, 2_048, 64, 1.5, Duration.ofHours(1), 1_000, PolicySettings.DEFAULT_LOAD_MAX_AGE);
        CacheAwareScene scene = new CacheAwareScene(config, 1);
        for (int i = 0; i < 14; i++) {
            scene.choose(i + "x".repeat(99));
        }
        scene.policy.maintain();
        assertThat(scene.count('A')).isGreaterThan(1_000);
        for (int i = 20; i < 24; i++) {
            scene.choose(i + "x".repeat(98));
        }
        scene.policy.maintain();
        assertThat(scene.count('A')).isLessThanOrEqualTo(1_000);
    }

    @Test
    void budget_kvPoolToldLate_isTakenFromThenOn() {
        PolicyConfig.CacheAware config = CacheAwareScene.DEFAULT;
        CacheAwareScene scene = new CacheAwareScene(config, 1);
        for (int i = 0; i < 50; i++) {
            scene.choose(i + "x".repeat(998));
        }
        scene.fleet().ticker().advance(config.evictionInterval());
        scene.policy.maintain();
        assertThat(scene.count('A')).isGreaterThan(45_000);
        scene.fleet()
                .registry()
                .reportMetadata(scene.worker('A'), new WorkerMetadata(List.of(), "sglang", 1, 5_000, Map.of()));
        scene.fleet().ticker().advance(config.evictionInterval());
        scene.policy.maintain();
        assertThat(scene.count('A')).isBetween(15_000L, 20_000L);
    }

    @Test
    void onWorkerRemoved_lateNote_isForgottenToo() {
        CacheAwareScene scene = scene(2);
        Worker gone = scene.worker('A');
        scene.remove('A');
        scene.policy.tree().insert(Prompt.ofText("late"), gone);
        scene.policy.maintain();
        scene.fleet().ticker().advance(Duration.ofSeconds(2));
        scene.policy.maintain();
        assertThat(scene.policy.tree().characters(gone)).isZero();
    }

    @Test
    void select_distinctPrompts_areSpreadEvenly() {
        CacheAwareScene scene = scene(4);
        Map<Character, Integer> shares = new HashMap<>();
        for (int i = 0; i < 4_000; i++) {
            shares.merge(scene.choose(Character.toString(0x4E00 + i) + PROMPT), 1, Integer::sum);
        }
        assertThat(shares)
                .hasSize(4)
                .allSatisfy((letter, share) -> assertThat(share).isBetween(850, 1_150));
    }

    @Test
    void select_promptIsOverwrittenAfterwards_theTreeKeepsItsOwn() {
        CacheAwareScene scene = scene(2);
        Prompt prompt = Prompt.ofText(PROMPT);
        char first = scene.choose(prompt);
        Arrays.fill(prompt.bytes(), (byte) '#');
        assertThat(scene.choose(PROMPT)).isEqualTo(first);
        assertThat(scene.reason()).isEqualTo("cache_hit");
    }

    @Test
    void needsPrompt_isSaid() {
        assertThat(policy(WorkerFleet.ready(1)).needsPrompt()).isTrue();
    }

    @Test
    void select_withPromptsFromManyThreads_isAlwaysACandidate() throws Exception {
        WorkerFleet fleet = WorkerFleet.ready(4);
        LoadBalancingPolicy policy = policy(fleet);
        Thread[] threads = new Thread[3];
        int[] good = new int[threads.length];
        for (int t = 0; t < threads.length; t++) {
            int mine = t;
            threads[t] = new Thread(() -> {
                Candidates candidates = new Candidates();
                for (int i = 0; i < 3_000; i++) {
                    SelectionContext context = Selections.context();
                    context.prompt(Prompt.ofText("tenant " + i % 7 + " " + PROMPT + i));
                    Worker chosen = policy.select(candidates.fill(fleet.pool(), Set.of()), context);
                    LoadGuard guard = chosen == null ? null : chosen.tryAcquire();
                    if (guard != null) {
                        guard.close();
                        good[mine]++;
                    }
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join(30_000);
        }
        assertThat(good).containsOnly(3_000);
    }
}
