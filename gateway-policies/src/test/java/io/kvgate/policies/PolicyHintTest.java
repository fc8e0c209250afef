package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RoutingKeys;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows G1 to G7: names, and what workers say of the policy of their model. */
final class PolicyHintTest {
    private final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
    private final WorkerFleet fleet = WorkerFleet.ready(0);

    private PolicyRegistry registry(String policy) {
        PolicyRegistry registry = new PolicyRegistry(
                policy, PolicySettings.DEFAULT, new PolicyServices(new SplitMixRandom(1), fleet.ticker(), metrics));
        fleet.registry().subscribe(registry::onWorkerEvent);
        return registry;
    }

    private Worker worker(String name, String model, @Nullable String hint) {
        return fleet.add(new WorkerSpec(
                PolicyScene.url(name),
                WorkerRole.REGULAR,
                model,
                null,
                50,
                1.0,
                hint == null ? Map.of() : Map.of(PolicyRegistry.HINT_LABEL, hint),
                null,
                HealthSettings.DEFAULT));
    }

    private static PoolKey pool(String model) {
        return new PoolKey(WorkerRole.REGULAR, model);
    }

    @ParameterizedTest(name = "G1: {0} is {1}")
    @CsvSource({
        "RoundRobin, round_robin",
        "CACHE_AWARE, cache_aware",
        "poweroftwo, power_of_two",
        "prefixhash, prefix_hash"
    })
    void named_anyCaseAndAlias_isAccepted(String given, String name) {
        assertThat(PolicySettings.DEFAULT.named(given).name()).isEqualTo(name);
    }

    @ParameterizedTest(name = "G2: \"{0}\" is unknown")
    @ValueSource(strings = {"round-robin", "foo", ""})
    void named_other_isRefused(String given) {
        assertThatThrownBy(() -> PolicySettings.DEFAULT.named(given))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("policy: " + given + " (expected: one of ");
    }

    @Test
    @DisplayName("G3: first worker of m hints random, second round_robin -> random for m")
    void onWorkerEvent_twoHints_theFirstHolds() {
        PolicyRegistry registry = registry("least_load");
        worker("A", "m", "random");
        worker("B", "m", "round_robin");
        assertThat(registry.policyOf(pool("m")).name()).isEqualTo("random");
        assertThat(registry.policyOf(pool("other")).name()).isEqualTo("least_load");
    }

    @Test
    @DisplayName("G4: both removed, then a third with round_robin -> round_robin")
    void onWorkerEvent_allGone_theNextHintHolds() {
        PolicyRegistry registry = registry("least_load");
        Worker first = worker("A", "m", "random");
        Worker second = worker("B", "m", "round_robin");
        fleet.remove(first);
        assertThat(registry.policyOf(pool("m")).name()).isEqualTo("random");
        fleet.remove(second);
        worker("C", "m", "round_robin");
        assertThat(registry.policyOf(pool("m")).name()).isEqualTo("round_robin");
    }

    @Test
    @DisplayName("G5: unknown hint -> the default")
    void onWorkerEvent_unknownHint_theDefault() {
        PolicyRegistry registry = registry("manual");
        worker("A", "m", "fastest");
        assertThat(registry.policyOf(pool("m")).name()).isEqualTo("manual");
    }

    @Test
    void onWorkerEvent_hintWithPrompt_promptsAreRead() {
        PolicyRegistry registry = registry("random");
        assertThat(registry.needsPrompt()).isFalse();
        worker("A", "m", "prefix_hash");
        assertThat(registry.needsPrompt()).isTrue();
    }

    @ParameterizedTest(name = "G7: threshold {0}, rel {1} accepted")
    @CsvSource({"0, 1.0", "1, 1.0"})
    void config_limitsOfTheRange_areAccepted(double threshold, double rel) {
        Duration second = Duration.ofSeconds(1);
        assertThatCode(() -> new PolicyConfig.CacheAware(threshold, 0, 0, rel, second, 0, second))
                .doesNotThrowAnyException();
        assertThatCode(() -> new PolicyConfig.Bucket(0, rel, second)).doesNotThrowAnyException();
        assertThatCode(() -> new PolicyConfig.PrefixHash(1, rel)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.99, Double.NaN, Double.POSITIVE_INFINITY, -1})
    void config_relativeThresholdOutOfRange_isRefused(double rel) {
        assertThatThrownBy(() -> new PolicyConfig.Bucket(0, rel, Duration.ofSeconds(1)))
                .hasMessageStartingWith("balanceRelThreshold: ");
        assertThatThrownBy(() -> new PolicyConfig.PrefixHash(256, rel)).hasMessageStartingWith("loadFactor: ");
    }

    @Test
    void config_otherValuesOutOfRange_areRefused() {
        Duration minute = Duration.ofMinutes(1);
        PolicyConfig.Manual.AssignmentMode mode = PolicyConfig.Manual.AssignmentMode.RANDOM;
        assertThatThrownBy(() -> new PolicyConfig.Bucket(-1, 1, minute))
                .hasMessageStartingWith("balanceAbsThreshold: ");
        assertThatThrownBy(() -> new PolicyConfig.Bucket(0, 1, Duration.ofMillis(999)))
                .hasMessageStartingWith("adjustInterval: ");
        assertThatThrownBy(() -> new PolicyConfig.PrefixHash(0, 1)).hasMessageStartingWith("prefixTokenCount: ");
        assertThatThrownBy(() -> new PolicyConfig.Manual(minute, minute, mode, 0))
                .hasMessageStartingWith("maxEntries: ");
        assertThatThrownBy(() -> new PolicyConfig.Manual(minute.negated(), minute, mode, 1))
                .hasMessageStartingWith("evictionInterval: ");
        assertThatThrownBy(() -> new PolicyConfig.Manual(minute, minute.negated(), mode, 1))
                .hasMessageStartingWith("maxIdle: ");
    }

    @Test
    void manualEntries_severalPools_areSummedUp() {
        PolicyRegistry registry = registry("manual");
        worker("A", "m1", null);
        worker("B", "m2", null);
        select(registry, "m1", "k1");
        select(registry, "m1", "k2");
        select(registry, "m2", "k1");
        assertThat(metrics.value(GatewayMeter.MANUAL_ENTRIES)).isEqualTo(3.0);
        fleet.remove(fleet.worker(0));
        assertThat(metrics.value(GatewayMeter.MANUAL_ENTRIES)).isEqualTo(1.0);
    }

    private void select(PolicyRegistry registry, String model, String key) {
        SelectionContext context = PolicyScene.context(RoutingKeys.of(null, key, null));
        context.prompt(Prompt.NONE);
        Candidates candidates = new Candidates()
                .fill(requireNonNull(fleet.registry().snapshot().pool(WorkerRole.REGULAR, model)), Set.of());
        assertThat(registry.policyOf(candidates.key()).select(candidates, context))
                .isNotNull();
    }

    @Test
    void url_ofTheScene_isTheNormalForm() {
        assertThat(worker("A", "m", null).spec().url()).isEqualTo(URI.create("http://gpu-a:9000"));
    }
}
