package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.request.RoutingKeys;
import io.kvgate.policies.PolicyConfig.Manual.AssignmentMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows M1 to M20. */
final class ManualPolicyTest extends LoadBalancingPolicyContract {
    private static final String[] BRANCHES = {
        "no_healthy_workers", "no_routing_id", "vacant", "occupied_hit", "occupied_miss"
    };

    @Override
    protected PolicyConfig config() {
        return manual(AssignmentMode.RANDOM);
    }

    private static PolicyConfig manual(AssignmentMode mode) {
        return new PolicyConfig.Manual(Duration.ofSeconds(60), Duration.ofHours(4), mode, 1_000_000);
    }

    private static PolicyConfig expiring(Duration interval, Duration maxIdle) {
        return new PolicyConfig.Manual(interval, maxIdle, AssignmentMode.RANDOM, 1_000_000);
    }

    private static Map<String, Long> branches(PolicyScene scene) {
        return scene.branches(GatewayMeter.MANUAL_BRANCH, BRANCHES);
    }

    /** Lets a second pass, and what is due be done. */
    private static void second(PolicyScene scene) {
        scene.ticker().advance(Duration.ofSeconds(1));
        scene.policy().maintain();
    }

    @ParameterizedTest(name = "M1: workers {0} -> nothing, no_healthy_workers, 0 entries")
    @CsvSource({"''", "A!U B!O"})
    void select_nobodyAvailable_isNothing(String workers) {
        PolicyScene scene = new PolicyScene(config(), workers);
        assertThat(scene.key("k")).isEqualTo(PolicyScene.NOTHING);
        assertThat(branches(scene)).containsExactly(Map.entry("no_healthy_workers", 1L));
        assertThat(scene.policy().rememberedKeys()).isZero();
    }

    @Test
    @DisplayName("M2: k x10 -> vacant, then the same, occupied_hit; 1 entry")
    void select_sameKey_sameWorker() {
        PolicyScene scene = new PolicyScene(config(), "A B C");
        String first = scene.key("k");
        assertThat(scene.reason()).isEqualTo("vacant");
        for (int i = 0; i < 9; i++) {
            assertThat(scene.key("k")).isEqualTo(first);
            assertThat(scene.reason()).isEqualTo("occupied_hit");
        }
        assertThat(branches(scene)).containsOnly(Map.entry("vacant", 1L), Map.entry("occupied_hit", 9L));
        assertThat(scene.policy().rememberedKeys()).isEqualTo(1);
    }

    @Test
    @DisplayName("M3: 100 keys -> all workers, 100 vacant")
    void select_manyKeys_areSpread() {
        PolicyScene scene = new PolicyScene(config(), "A B C");
        Set<String> chosen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            chosen.add(scene.key("k" + i));
        }
        assertThat(chosen).containsExactlyInAnyOrder("A", "B", "C");
        assertThat(branches(scene)).containsExactly(Map.entry("vacant", 100L));
    }

    @Test
    @DisplayName("M5: the first recovers -> it again, occupied_hit")
    void select_firstRecovers_itAgain() {
        PolicyScene scene = new PolicyScene(config(), "A B C");
        String first = scene.key("k");
        scene.unhealthy(first);
        String second = scene.key("k");
        assertThat(second).isNotEqualTo(first);
        assertThat(scene.reason()).isEqualTo("occupied_miss");
        assertThat(scene.key("k")).isEqualTo(second);
        assertThat(scene.reason()).isEqualTo("occupied_hit");
        scene.recover(first);
        assertThat(scene.key("k")).isEqualTo(first);
        assertThat(scene.reason()).isEqualTo("occupied_hit");
    }

    @Test
    void select_bothGone_theOldestOfThreeIsForgotten() {
        PolicyScene scene = new PolicyScene(config(), "A B C");
        String first = scene.key("k");
        scene.unhealthy(first);
        String second = scene.key("k");
        scene.unhealthy(second);
        String third = scene.key("k");
        assertThat(Set.of(first, second, third)).hasSize(3);
        assertThat(scene.reason()).isEqualTo("occupied_miss");
        scene.recover(first);
        assertThat(scene.key("k")).isEqualTo(third);
        scene.recover(second);
        assertThat(scene.key("k")).isEqualTo(second);
        assertThat(scene.policy().rememberedKeys()).isEqualTo(1);
    }

    @Test
    @DisplayName("M7: k's worker removed, then added again -> it, occupied_hit")
    void select_removedAndAddedAgain_hasItsKeysBack() {
        PolicyScene scene = new PolicyScene(config(), "A B C");
        String first = scene.key("k");
        scene.remove(first);
        assertThat(scene.key("k")).isNotEqualTo(first);
        scene.add(first);
        assertThat(scene.key("k")).isEqualTo(first);
        assertThat(scene.reason()).isEqualTo("occupied_hit");
    }

    @Test
    @DisplayName("M8: k -> X; add D -> k x5 -> X")
    void select_workerAdded_keysStay() {
        PolicyScene scene = new PolicyScene(config(), "A B C");
        String first = scene.key("k");
        scene.add("D");
        for (int i = 0; i < 5; i++) {
            assertThat(scene.key("k")).isEqualTo(first);
        }
    }

    @Test
    @DisplayName("M9: min_load, A 5, B 1, C 3 -> B")
    void select_minLoad_fewestInFlight() {
        assertThat(new PolicyScene(manual(AssignmentMode.MIN_LOAD), "A=5 B=1 C=3").key("k"))
                .isEqualTo("B");
    }

    @Test
    @DisplayName("M10: min_load, tie 1 1 3, 200 keys -> only A and B, both")
    void select_minLoadTie_chanceDecides() {
        PolicyScene scene = new PolicyScene(manual(AssignmentMode.MIN_LOAD), "A=1 B=1 C=3");
        List<String> chosen = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            chosen.add(scene.key("k" + i));
        }
        assertThat(chosen).containsOnly("A", "B");
        assertThat(chosen.stream().filter("A"::equals).count()).isBetween(70L, 130L);
    }

    private static SelectionContext start(PolicyScene scene, String worker, String key) {
        SelectionContext context = PolicyScene.context(RoutingKeys.of(null, key, null));
        scene.policy().onStart(scene.worker(worker), context);
        return context;
    }

    @Test
    @DisplayName("M11: min_group, active keys A 2, B 0, C 1, loads 0 9 0 -> B")
    void select_minGroup_fewestActiveKeys() {
        PolicyScene scene = new PolicyScene(manual(AssignmentMode.MIN_GROUP), "A B=9 C");
        start(scene, "A", "k1");
        SelectionContext second = start(scene, "A", "k2");
        start(scene, "A", "k2");
        start(scene, "C", "k3");
        assertThat(scene.key("new")).isEqualTo("B");
        start(scene, "B", "k4");
        start(scene, "B", "k5");
        assertThat(scene.key("newer")).isEqualTo("C");
        // One of two requests of k2 ends: the key is still active. Then the other: one key is left at A.
        scene.policy().onComplete(scene.worker("A"), second, new RequestOutcome.Completed(200));
        start(scene, "C", "k6");
        start(scene, "C", "k7");
        start(scene, "B", "k8");
        assertThat(scene.key("newest")).isEqualTo("A");
        scene.policy().onComplete(scene.worker("A"), second, new RequestOutcome.Completed(200));
        start(scene, "A", "k9");
        start(scene, "A", "k10");
        assertThat(Set.of("A", "B", "C")).contains(scene.key("last"));
    }

    @Test
    void onComplete_withoutStart_countsNothing() {
        PolicyScene scene = new PolicyScene(manual(AssignmentMode.MIN_GROUP), "A B");
        SelectionContext context = PolicyScene.context(RoutingKeys.of(null, "k", null));
        scene.policy().onComplete(scene.worker("A"), context, new RequestOutcome.Completed(200));
        start(scene, "A", "k");
        assertThat(scene.key("new")).isEqualTo("B");
    }

    @ParameterizedTest(name = "M12: no key, mode {0} -> any, no_routing_id, 0 entries")
    @EnumSource(AssignmentMode.class)
    void select_noKey_chanceDecidesWhateverTheMode(AssignmentMode mode) {
        PolicyScene scene = new PolicyScene(manual(mode), "A=3 B C");
        assertThat(scene.shares(300)).containsOnlyKeys("A", "B", "C");
        assertThat(scene.next(RoutingKeys.of("1", null, "Bearer x"), Prompt.NONE))
                .isNotEqualTo(PolicyScene.NOTHING);
        assertThat(branches(scene)).containsExactly(Map.entry("no_routing_id", 301L));
        assertThat(scene.policy().rememberedKeys()).isZero();
    }

    @Test
    @DisplayName("M13: idle 2 s, interval 1 s: k, 4 s pass -> entry gone, next vacant")
    void maintain_idleKey_isForgotten() {
        PolicyScene scene = new PolicyScene(expiring(Duration.ofSeconds(1), Duration.ofSeconds(2)), "A B C");
        scene.key("k");
        second(scene);
        assertThat(scene.policy().rememberedKeys()).isEqualTo(1);
        second(scene);
        second(scene);
        second(scene);
        assertThat(scene.policy().rememberedKeys()).isZero();
        scene.key("k");
        assertThat(scene.reason()).isEqualTo("vacant");
    }

    @Test
    @DisplayName("M14: idle 2 s, k used every second for 5 s -> kept")
    void maintain_keyInUse_isKept() {
        PolicyScene scene = new PolicyScene(expiring(Duration.ofSeconds(1), Duration.ofSeconds(2)), "A B C");
        for (int i = 0; i < 5; i++) {
            scene.key("k");
            second(scene);
        }
        assertThat(scene.key("k")).isNotEqualTo(PolicyScene.NOTHING);
        assertThat(scene.reason()).isEqualTo("occupied_hit");
    }

    @ParameterizedTest(name = "M15: interval {0} s, idle {1} s -> never dropped")
    @CsvSource({"0, 2", "1, 0", "0, 0"})
    void maintain_expiryOff_nothingIsForgotten(int intervalSeconds, int idleSeconds) {
        PolicyScene scene =
                new PolicyScene(expiring(Duration.ofSeconds(intervalSeconds), Duration.ofSeconds(idleSeconds)), "A");
        scene.key("k");
        for (int i = 0; i < 20; i++) {
            second(scene);
        }
        assertThat(scene.policy().rememberedKeys()).isEqualTo(1);
    }

    @Test
    @DisplayName("M17: same k in two pools -> 2 entries, each stable")
    void select_twoPools_rememberApart() {
        PolicyScene prefill = new PolicyScene(config(), "A B");
        PolicyScene decode = new PolicyScene(config(), "C D");
        String ofPrefill = prefill.key("k");
        String ofDecode = decode.key("k");
        assertThat(prefill.key("k")).isEqualTo(ofPrefill);
        assertThat(decode.key("k")).isEqualTo(ofDecode);
        assertThat(prefill.policy().rememberedKeys() + decode.policy().rememberedKeys())
                .isEqualTo(2);
    }

    @Test
    @DisplayName("M19: a miss counts as a use, nothing does not")
    void select_missIsAUse_nothingIsNone() {
        PolicyScene scene = new PolicyScene(expiring(Duration.ofSeconds(1), Duration.ofSeconds(3)), "A B");
        String first = scene.key("k");
        second(scene);
        second(scene);
        scene.unhealthy(first);
        String other = scene.key("k");
        assertThat(scene.reason()).isEqualTo("occupied_miss");
        second(scene);
        second(scene);
        assertThat(scene.policy().rememberedKeys()).isEqualTo(1);
        scene.unhealthy(other);
        assertThat(scene.key("k")).isEqualTo(PolicyScene.NOTHING);
        second(scene);
        assertThat(scene.policy().rememberedKeys()).isZero();
    }

    @Test
    @DisplayName("M20: key of 8 KB accepted; K and k are two")
    void select_longAndSimilarKeys_areKeptApart() {
        PolicyScene scene = new PolicyScene(config(), "A B C D E F");
        String longKey = "x".repeat(8_191);
        String chosen = scene.key(longKey + "1");
        scene.key(longKey + "2");
        scene.key("K");
        scene.key("k");
        assertThat(scene.policy().rememberedKeys()).isEqualTo(4);
        assertThat(scene.key(longKey + "1")).isEqualTo(chosen);
        assertThat(scene.reason()).isEqualTo("occupied_hit");
    }
}
