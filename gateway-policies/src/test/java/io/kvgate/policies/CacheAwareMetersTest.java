package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a registry of policies shows of the trees, and that memory is given back when pools go. */
final class CacheAwareMetersTest {
    private static final PoolKey UNKNOWN = new PoolKey(WorkerRole.REGULAR, Worker.UNKNOWN_MODEL);
    private static final PoolKey ANY = new PoolKey(WorkerRole.REGULAR, "*");

    private final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
    private final WorkerFleet fleet = WorkerFleet.ready(0);
    private final PolicyServices services = new PolicyServices(new SplitMixRandom(1), fleet.ticker(), metrics);

    private PolicyRegistry registry(String policy) {
        PolicyRegistry registry = new PolicyRegistry(policy, PolicySettings.DEFAULT, services);
        fleet.registry().subscribe(registry::onWorkerEvent);
        return registry;
    }

    private void select(PolicyRegistry registry, PoolKey key, String text) {
        SelectionContext context = Selections.context();
        context.prompt(Prompt.ofText(text));
        registry.policyOf(key).select(new Candidates().fill(fleet.pool(), Set.of()), context);
    }

    private static WorkerSpec hinting(String policy) {
        return new WorkerSpec(
                URI.create("http://127.0.0.1:9001"),
                WorkerRole.REGULAR,
                null,
                null,
                50,
                1.0,
                Map.of(PolicyRegistry.HINT_LABEL, policy),
                null,
                HealthSettings.DEFAULT);
    }

    private static String url(Worker worker) {
        return worker.spec().url().toString();
    }

    @Test
    void gauges_twoPools_areSummed() {
        PolicyRegistry registry = registry("cache_aware");
        Worker worker = fleet.add();
        select(registry, UNKNOWN, "hello");
        select(registry, ANY, "hello");
        assertThat(metrics.value(GatewayMeter.CACHE_AWARE_TREE_CHARS, url(worker)))
                .isEqualTo(10);
        assertThat(metrics.value(GatewayMeter.CACHE_AWARE_TREE_BYTES))
                .isEqualTo((double) services.trees().bytes());
        assertThat(services.trees().bytes()).isPositive();
    }

    @Test
    void gauges_workerGone_areNotMadeAnew() {
        PolicyRegistry registry = registry("cache_aware");
        Worker worker = fleet.add();
        fleet.add();
        select(registry, ANY, "hello");
        // As the meters of the worker do at its removal.
        fleet.registry().subscribe(event -> {
            if (event instanceof WorkerEvent.Removed gone) {
                metrics.removeGauges("worker", url(gone.worker()));
            }
        });
        fleet.remove(worker);
        assertThat(metrics.value(GatewayMeter.CACHE_AWARE_TREE_CHARS, url(worker)))
                .isNull();
        select(registry, ANY, "hello again");
        assertThat(metrics.value(GatewayMeter.CACHE_AWARE_TREE_CHARS, url(worker)))
                .isNull();
        Worker again = fleet.add(worker.spec());
        assertThat(metrics.value(GatewayMeter.CACHE_AWARE_TREE_CHARS, url(again)))
                .isEqualTo(0);
    }

    @Test
    void gauges_otherPolicy_areNotThere() {
        registry("random");
        Worker worker = fleet.add();
        assertThat(metrics.value(GatewayMeter.CACHE_AWARE_TREE_CHARS, url(worker)))
                .isNull();
        assertThat(metrics.value(GatewayMeter.CACHE_AWARE_TREE_BYTES)).isNull();
    }

    @Test
    void gauges_policyByHint_areThere() {
        registry("random");
        Worker worker = fleet.add(hinting("cache_aware"));
        assertThat(metrics.value(GatewayMeter.CACHE_AWARE_TREE_CHARS, url(worker)))
                .isEqualTo(0);
    }

    @Test
    void memory_lastWorkerGone_isGivenBack() {
        PolicyRegistry registry = registry("cache_aware");
        Worker worker = fleet.add();
        select(registry, UNKNOWN, "hello");
        select(registry, ANY, "hello");
        fleet.remove(worker);
        assertThat(services.trees().bytes()).isZero();
    }

    @Test
    void memory_policyReplacedByHint_isGivenBack() {
        PolicyRegistry registry = registry("cache_aware");
        Worker other = WorkerFleet.ready(1).worker(0);
        LoadBalancingPolicy early = registry.policyOf(UNKNOWN);
        ((CacheAwarePolicy) early).tree().insert(Prompt.ofText("hello"), other);
        assertThat(services.trees().bytes()).isPositive();
        fleet.add(hinting("random"));
        assertThat(registry.policyOf(UNKNOWN).name()).isEqualTo("random");
        assertThat(services.trees().bytes()).isZero();
    }
}
