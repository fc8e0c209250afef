package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerMetadata;
import io.kvgate.core.worker.WorkerRole;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PolicyRegistryTest {
    private static final PoolKey ANY = new PoolKey(WorkerRole.REGULAR, "*");
    private static final PoolKey LLAMA = new PoolKey(WorkerRole.REGULAR, "llama");

    private static PolicyRegistry registry(String policy) {
        return new PolicyRegistry(
                policy,
                PolicySettings.DEFAULT,
                new PolicyServices(new SplitMixRandom(1), Ticker.system(), new NoopMetricsRegistry()));
    }

    @ParameterizedTest
    @CsvSource({
        "random, random",
        "RANDOM, random",
        "round_robin, round_robin",
        "roundrobin, round_robin",
        "RoundRobin, round_robin",
        "power_of_two, power_of_two",
        "PowerOfTwo, power_of_two",
        "least_load, least_load",
        "LEASTLOAD, least_load",
        "bucket, bucket",
        "Manual, manual",
        "consistent_hashing, consistent_hashing",
        "ConsistentHashing, consistent_hashing",
        "prefix_hash, prefix_hash",
        "prefixhash, prefix_hash"
    })
    void policy_nameOrAlias_anyCase(String given, String canonical) {
        assertThat(registry(given).policyOf(ANY).name()).isEqualTo(canonical);
    }

    @Test
    void policy_unknownName_isRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> registry("fastest"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "policy: fastest (expected: one of bucket, cache_aware, consistent_hashing, least_load, manual,"
                                + " power_of_two, prefix_hash, random, round_robin)");
    }

    @Test
    void names_areSorted() {
        assertThat(PolicySettings.names())
                .containsExactly(
                        "bucket",
                        "cache_aware",
                        "consistent_hashing",
                        "least_load",
                        "manual",
                        "power_of_two",
                        "prefix_hash",
                        "random",
                        "round_robin");
    }

    @Test
    void config_badAge_isRefused() {
        assertThatThrownBy(() -> new PolicyConfig.LeastLoad(Duration.ZERO))
                .hasMessageStartingWith("loadMaxAge: PT0S (expected");
        assertThatThrownBy(() -> new PolicyConfig.PowerOfTwo(Duration.ofSeconds(-1)))
                .hasMessageStartingWith("loadMaxAge: ");
    }

    @Test
    void config_engineLoad_isUsedByTwo() {
        assertThat(PolicySettings.DEFAULT.named("random").usesEngineLoad()).isFalse();
        assertThat(PolicySettings.DEFAULT.named("round_robin").usesEngineLoad()).isFalse();
        assertThat(PolicySettings.DEFAULT.named("power_of_two").usesEngineLoad())
                .isTrue();
        assertThat(PolicySettings.DEFAULT.named("least_load").usesEngineLoad()).isTrue();
    }

    @Test
    void policyOf_samePool_isOneInstance() {
        PolicyRegistry registry = registry("round_robin");
        assertThat(registry.policyOf(ANY)).isSameAs(registry.policyOf(new PoolKey(WorkerRole.REGULAR, "*")));
        assertThat(registry.policyOf(ANY)).isNotSameAs(registry.policyOf(LLAMA));
    }

    @Test
    void onWorkerEvent_lastWorkerGone_dropsThePoolsPolicy() {
        PolicyRegistry registry = registry("round_robin");
        WorkerFleet fleet = WorkerFleet.ready(2);
        fleet.registry().subscribe(registry::onWorkerEvent);
        LoadBalancingPolicy policy = registry.policyOf(ANY);
        fleet.remove(fleet.worker(0));
        assertThat(registry.policyOf(ANY)).isSameAs(policy);
        fleet.remove(fleet.worker(0));
        assertThat(registry.policyOf(ANY)).isNotSameAs(policy);
    }

    @Test
    void onWorkerEvent_modelChanges_dropsTheOldPoolsPolicy() {
        PolicyRegistry registry = registry("round_robin");
        WorkerFleet fleet = WorkerFleet.ready(1);
        fleet.registry().subscribe(registry::onWorkerEvent);
        Worker worker = fleet.worker(0);
        fleet.registry().reportMetadata(worker, new WorkerMetadata(List.of("llama"), "vllm", 1, 0, Map.of()));
        LoadBalancingPolicy ofLlama = registry.policyOf(LLAMA);
        LoadBalancingPolicy ofAny = registry.policyOf(ANY);
        fleet.registry().reportMetadata(worker, new WorkerMetadata(List.of("qwen"), "vllm", 1, 0, Map.of()));
        assertThat(registry.policyOf(LLAMA)).isNotSameAs(ofLlama);
        assertThat(registry.policyOf(ANY)).isSameAs(ofAny);
    }
}
