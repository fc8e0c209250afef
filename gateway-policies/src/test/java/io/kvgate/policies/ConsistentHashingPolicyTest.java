package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RoutingKeys;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows C1 to C27 and BD1 to BD9. What headers make which key is told by the columns; reading them is the front end's. */
final class ConsistentHashingPolicyTest extends LoadBalancingPolicyContract {
    private static final PolicyConfig PLAIN = new PolicyConfig.ConsistentHashing(0);
    private static final String[] BRANCHES = {
        "no_healthy_workers",
        "target_worker_hit",
        "target_worker_miss",
        "routing_key_hit",
        "random_fallback",
        "explicit_routing_key_hit",
        "explicit_routing_key_spillover",
        "explicit_routing_key_no_eligible_candidate",
        "implicit_routing_key_hit"
    };
    private static final PolicyConfig BOUNDED = new PolicyConfig.ConsistentHashing(1.5);

    @Override
    protected PolicyConfig config() {
        return PLAIN;
    }

    private static String select(
            PolicyScene scene, @Nullable String target, @Nullable String key, @Nullable String implicit) {
        return scene.next(RoutingKeys.of(target, key, implicit), Prompt.NONE);
    }

    @ParameterizedTest(name = "{0}: workers {1}, target {2}, key {3}, implicit {4} -> {5} {6}")
    @CsvSource({
        "C1,   A B C,  , tenant-42, , C, routing_key_hit",
        "C2,   A B C,  , session-7, , A, routing_key_hit",
        "C2,   A B C,  , session-8, , B, routing_key_hit",
        "C3,   A B C,  , , Bearer sk-test, B, routing_key_hit",
        "C4,   A B C,  , , 203.0.113.9, B, routing_key_hit",
        "C6,   A B C,  , session-7, Bearer sk-test, A, routing_key_hit",
        "C7,   A B C,  , , Bearer sk-test, B, routing_key_hit",
        "C10,  A B C,  , , sid=abc, C, routing_key_hit",
        "C12,  A B C,  1, tenant-42, , B, target_worker_hit",
        "C12,  A B C,  1, , , B, target_worker_hit",
        "C13,  A B C,  3, tenant-42, , -, target_worker_miss",
        "C13,  A B C,  -1, tenant-42, , -, target_worker_miss",
        "C13,  A B C,  abc, tenant-42, , -, target_worker_miss",
        "C13,  A B C,  1.0, tenant-42, , -, target_worker_miss",
        "C13a, A B C,  , tenant-42, , C, routing_key_hit",
        "C13b, A B C,  +1, , , B, target_worker_hit",
        "C13b, A B C,  01, , , B, target_worker_hit",
        "C14,  A B!U C, 1, tenant-42, , -, target_worker_miss",
        "C14,  A B!O C, 1, tenant-42, , -, target_worker_miss",
        "C17,  A B C,  , k0, , B, routing_key_hit",
        "C17,  A B C,  , k1, , B, routing_key_hit",
        "C17,  A B C,  , k2, , A, routing_key_hit",
        "C17,  A B C,  , k3, , C, routing_key_hit",
        "C17,  A B C,  , k4, , B, routing_key_hit",
        "C17,  A B C,  , k5, , B, routing_key_hit",
        "C17,  A B C,  , wrap-411, , B, routing_key_hit",
        "C18,  A B C,  , user:zoë, , B, routing_key_hit",
        "C18,  A B C,  , 😀, , C, routing_key_hit",
        "C20,  A B C D, , k2, , D, routing_key_hit",
        "C20,  A B C D, , k4, , D, routing_key_hit",
        "C20,  A B C D, , tenant-42, , C, routing_key_hit",
        "C22,  C A B,  , tenant-42, , C, routing_key_hit",
        "C25,  A,      , tenant-42, , A, routing_key_hit",
        "C25,  A,      , , sid=abc, A, routing_key_hit",
        "C26,  A B C,  , tenant-42, , C, routing_key_hit"
    })
    void select_row(ArgumentsAccessor row) {
        PolicyScene scene = new PolicyScene(PLAIN, requireNonNull(row.getString(1)));
        String chosen = select(scene, row.getString(2), row.getString(3), row.getString(4));
        assertThat(chosen).isEqualTo(row.getString(5));
        assertThat(scene.reason()).isEqualTo(row.getString(6));
        assertThat(scene.branches(GatewayMeter.CONSISTENT_HASHING_BRANCH, BRANCHES))
                .containsExactly(Map.entry(requireNonNull(row.getString(6)), 1L));
    }

    @ParameterizedTest(name = "{0}: {1} among {2} -> any, random_fallback")
    @CsvSource({"C9, authorization is empty and decides, A B C", "C11, no key, A B C"})
    void select_withoutKey_chanceDecides(String row, String why, String workers) {
        PolicyScene scene = new PolicyScene(PLAIN, workers);
        Map<String, Integer> shares = scene.shares(3_000);
        assertThat(shares).as(row + why).containsOnlyKeys("A", "B", "C");
        assertThat(shares.values()).allMatch(share -> share > 850 && share < 1_150);
        assertThat(scene.reason()).isEqualTo("random_fallback");
    }

    @Test
    void select_ownerUnhealthyAndBack_goesOnClockwiseAndReturns() {
        // C16
        PolicyScene scene = new PolicyScene(PLAIN, "A B C");
        scene.unhealthy("C");
        assertThat(scene.key("tenant-42")).isEqualTo("A");
        scene.unhealthy("A");
        assertThat(scene.key("tenant-42")).isEqualTo("B");
        scene.recover("C");
        assertThat(scene.key("tenant-42")).isEqualTo("C");
    }

    @Test
    void select_nobodyAvailable_isNothingAndCounted() {
        PolicyScene scene = new PolicyScene(PLAIN, "A!U B!O");
        assertThat(select(scene, "0", null, null)).isEqualTo(PolicyScene.NOTHING);
        assertThat(scene.key("tenant-42")).isEqualTo(PolicyScene.NOTHING);
        assertThat(scene.next()).isEqualTo(PolicyScene.NOTHING);
        assertThat(scene.branches(GatewayMeter.CONSISTENT_HASHING_BRANCH, BRANCHES))
                .containsExactly(Map.entry("no_healthy_workers", 3L));
    }

    @Test
    void select_target_meansThePlaceInThePoolWhoeverIsUnhealthy() {
        PolicyScene scene = new PolicyScene(PLAIN, "A!U B C");
        assertThat(select(scene, "0", null, null)).isEqualTo(PolicyScene.NOTHING);
        assertThat(select(scene, "1", null, null)).isEqualTo("B");
        assertThat(select(scene, "2", null, null)).isEqualTo("C");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "+", "++1", "1 ", " 1", "1_0", "٣", "2147483648", "4294967297", "99999999999999999999"})
    void select_targetThatIsNoPlace_isNothing(String target) {
        PolicyScene scene = new PolicyScene(PLAIN, "A B C");
        assertThat(select(scene, target, "tenant-42", null)).isEqualTo(PolicyScene.NOTHING);
        assertThat(scene.reason()).isEqualTo("target_worker_miss");
    }

    @Test
    void select_workersComeAndGo_theRingFollows() {
        PolicyScene scene = new PolicyScene(PLAIN, "A B C");
        assertThat(scene.key("k2")).isEqualTo("A");
        scene.add("D");
        assertThat(scene.key("k2")).isEqualTo("D");
        scene.remove("D");
        assertThat(scene.key("k2")).isEqualTo("A");
        scene.remove("A");
        assertThat(scene.key("k2")).isEqualTo("B");
        scene.add("A");
        assertThat(scene.key("k2")).isEqualTo("A");
    }

    @ParameterizedTest(name = "{0}: workers {1}, target {2}, key {3}, implicit {4} -> {5} {6}")
    @CsvSource({
        "BD1, A B C, , tenant-42, , C, explicit_routing_key_hit",
        "BD2, A=2 B=1 C=3, , tenant-42, , C, explicit_routing_key_hit",
        "BD4, A=5 B C=6, , tenant-42, , A, explicit_routing_key_spillover",
        "BD6, B C=1, , tenant-42, , C, explicit_routing_key_hit",
        "BD7, A B C=100, , , tenant-42, C, implicit_routing_key_hit",
        "BD9, A B C=100, 2, tenant-42, , C, target_worker_hit"
    })
    void select_bounded_row(ArgumentsAccessor row) {
        PolicyScene scene = new PolicyScene(BOUNDED, requireNonNull(row.getString(1)));
        String chosen = select(scene, row.getString(2), row.getString(3), row.getString(4));
        assertThat(chosen).isEqualTo(row.getString(5));
        assertThat(scene.reason()).isEqualTo(row.getString(6));
    }

    @Test
    void select_boundedAndTheNextIsFullToo_goesFurther() {
        // Mean 5, limit 6; the order of the key is C A B.
        PolicyScene scene = new PolicyScene(new PolicyConfig.ConsistentHashing(1.2), "A=7 B=1 C=7");
        assertThat(scene.key("tenant-42")).isEqualTo("B");
        assertThat(scene.reason()).isEqualTo("explicit_routing_key_spillover");
    }

    @Test
    void select_boundedHotKey_neverLoadsAWorkerMuchBeyondTheMean() {
        PolicyScene scene = new PolicyScene(BOUNDED, "A B C");
        for (int i = 0; i < 90; i++) {
            scene.occupy(scene.key("tenant-42"), 1);
        }
        assertThat(scene.fleet().workers()).allMatch(worker -> worker.inFlight() <= 46);
        assertThat(scene.worker("C").inFlight()).isGreaterThanOrEqualTo(44);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, -1, 0.999, Double.NaN, Double.POSITIVE_INFINITY})
    void config_skewThatCannotWork_isRefused(double skew) {
        // BD8 asks for 0.5.
        assertThatThrownBy(() -> new PolicyConfig.ConsistentHashing(skew)).hasMessageStartingWith("maxLoadSkew: ");
    }
}
