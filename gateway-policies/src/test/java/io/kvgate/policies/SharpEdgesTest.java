package io.kvgate.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.WorkerMetadata;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Known sharp edges of cache-aware routing: what the reference does at each, by its own settings, and what kvgate does when nothing is
 * set. The figures are those of an 8B model: a pool of 428,569 tokens, a system prompt of 2,048 tokens, four characters a token.
 */
final class SharpEdgesTest {
    private static final long POOL_TOKENS = 428_569;
    private static final String SYSTEM_PROMPT = "You must be brief".repeat(482).substring(0, 8_192);

    /** The reference's Rust library: budget of 10,000 characters a worker, threshold .5, guard 32 and 1.1. */
    private static final PolicyConfig.CacheAware RUST = new PolicyConfig.CacheAware(
            0.5, 0, 32, 1.1, Duration.ofSeconds(30), 10_000, PolicySettings.DEFAULT_LOAD_MAX_AGE);

    private static void tellPool(CacheAwareScene scene) {
        scene.fleet()
                .workers()
                .forEach(worker -> scene.fleet()
                        .registry()
                        .reportMetadata(worker, new WorkerMetadata(List.of(), "sglang", 1, POOL_TOKENS, Map.of())));
    }

    private static String document(int index) {
        return Character.toString(0x4E00 + index) + "d".repeat(31_999);
    }

    @Test
    void edge1_longUniqueSuffix_suppressesAValuablePrefix() {
        // 8,192 of 40,192 characters are a share of .20, below either default.
        CacheAwareScene reference = new CacheAwareScene(CacheAwareScene.REFERENCE, 2);
        reference.sent(SYSTEM_PROMPT + document(0), 'A').loads(1, 0);
        assertThat(reference.choose(SYSTEM_PROMPT + document(1))).isEqualTo('B');
        assertThat(reference.reason()).isEqualTo("cold");

        // A match of 2,048 characters counts whatever its share.
        CacheAwareScene byDefault = new CacheAwareScene(CacheAwareScene.DEFAULT, 2);
        byDefault.sent(SYSTEM_PROMPT + document(0), 'A').loads(1, 0);
        for (int i = 1; i < 30; i++) {
            assertThat(byDefault.choose(SYSTEM_PROMPT + document(i))).isEqualTo('A');
            assertThat(byDefault.reason()).isEqualTo("saved_work");
        }
    }

    @Test
    void edge2_twoSetsOfDefaults_neitherFitsThePool() {
        // Sixty system prompts are 491,520 characters, a third of what the pool holds.
        assertThat(remembered(RUST)).as("forgets what the engine still has").isLessThan(2);
        assertThat(remembered(CacheAwareScene.DEFAULT)).isEqualTo(60);

        // Three hundred are more than the pool holds.
        long pool = POOL_TOKENS * 4;
        assertThat(believed(CacheAwareScene.REFERENCE))
                .as("believes in what the engine lost")
                .isGreaterThan(pool);
        assertThat(believed(CacheAwareScene.DEFAULT)).isBetween(pool - 8_200, pool);
    }

    /** Of sixty tenants' prompts, how many are still known after a sweep. */
    private static int remembered(PolicyConfig.CacheAware config) {
        CacheAwareScene scene = new CacheAwareScene(config, 1);
        tellPool(scene);
        for (int i = 0; i < 60; i++) {
            scene.choose(Character.toString(0x4E00 + i) + SYSTEM_PROMPT);
            scene.policy.maintain();
        }
        scene.fleet().ticker().advance(config.evictionInterval());
        scene.policy.maintain();
        return (int) (scene.count('A') / SYSTEM_PROMPT.length());
    }

    /** Characters that are believed to be cached after three hundred tenants' prompts and a sweep. */
    private static long believed(PolicyConfig.CacheAware config) {
        CacheAwareScene scene = new CacheAwareScene(config, 1);
        tellPool(scene);
        for (int i = 0; i < 300; i++) {
            scene.choose(Character.toString(0x4E00 + i) + SYSTEM_PROMPT);
        }
        scene.fleet().ticker().advance(config.evictionInterval());
        scene.policy.maintain();
        return scene.count('A');
    }

    @Test
    void edge3_balanceGuard_hardlyEverFires() {
        // Sixty requests in flight on eight workers, all with one system prompt: to the reference that is no imbalance.
        Map<Character, Integer> reference = shares(CacheAwareScene.REFERENCE);
        assertThat(reference).hasSize(1);
        Map<Character, Integer> byDefault = shares(CacheAwareScene.DEFAULT);
        assertThat(byDefault.values()).allMatch(share -> share <= 30, "no worker has more than half");
        assertThat(byDefault).hasSizeGreaterThanOrEqualTo(3);
    }

    private static Map<Character, Integer> shares(PolicyConfig.CacheAware config) {
        CacheAwareScene scene = new CacheAwareScene(config, 8);
        for (int i = 0; i < 60; i++) {
            scene.send(SYSTEM_PROMPT + document(i).substring(0, 1_000));
        }
        Map<Character, Integer> shares = new HashMap<>();
        scene.fleet().workers().forEach(worker -> {
            if (worker.inFlight() > 0) {
                shares.put(scene.letter(worker), worker.inFlight());
            }
        });
        return shares;
    }

    @Test
    void edge4_loadIsInFlightOnly_aThrashingReplicaLooksIdle() {
        // Both have one request of ours in flight, but A's engine also serves another gateway and has ninety queued.
        CacheAwareScene blind = new CacheAwareScene(CacheAwareScene.REFERENCE, 2);
        blind.sent(SYSTEM_PROMPT, 'A').loads(1, 1);
        assertThat(blind.choose(SYSTEM_PROMPT)).as("the reference never asks").isEqualTo('A');

        CacheAwareScene byDefault = new CacheAwareScene(CacheAwareScene.DEFAULT, 2);
        byDefault.sent(SYSTEM_PROMPT, 'A').loads(1, 1).reported(91, 1);
        assertThat(byDefault.choose(SYSTEM_PROMPT)).isEqualTo('B');
        assertThat(byDefault.reason()).isEqualTo("imbalanced");

        // Half as many are no imbalance to the guard; where requests bring a document each, they are still more than
        // the prefix saves.
        byDefault = new CacheAwareScene(CacheAwareScene.DEFAULT, 2);
        for (int i = 0; i < 10; i++) {
            byDefault.choose(document(i));
        }
        byDefault.sent(SYSTEM_PROMPT, 'A').loads(1, 1).reported(46, 1);
        assertThat(byDefault.choose(SYSTEM_PROMPT)).isEqualTo('B');
        assertThat(byDefault.reason()).isEqualTo("holder_busy");
    }

    @Test
    void edge5_staleTenancy_silentlyDisablesAffinity() {
        // The reference forgets A and sends every such request to the first healthy worker. kvgate does not, whatever
        // is configured:
        // the least loaded one takes over, holds the prefix from then on, and A has its history when it comes back.
        for (PolicyConfig.CacheAware config : List.of(CacheAwareScene.REFERENCE, CacheAwareScene.DEFAULT)) {
            CacheAwareScene scene = new CacheAwareScene(config, 4);
            scene.sent(SYSTEM_PROMPT, 'A').loads(0, 2, 2, 1);
            scene.fleet().notReady(scene.worker('A'));
            assertThat(scene.choose(SYSTEM_PROMPT)).isEqualTo('D');
            assertThat(scene.reason()).isEqualTo("stale_owner");
            assertThat(scene.count('A')).isEqualTo(8_192);
            assertThat(scene.count('D')).isEqualTo(8_192);
        }

        // Until A is back, D's new copy is used; the reference's rule would only ever ask the one that was first.
        CacheAwareScene scene = new CacheAwareScene(CacheAwareScene.DEFAULT, 4);
        scene.sent(SYSTEM_PROMPT, 'A').sent(SYSTEM_PROMPT, 'D').loads(0, 0, 0, 1);
        scene.fleet().notReady(scene.worker('A'));
        assertThat(scene.choose(SYSTEM_PROMPT)).isEqualTo('D');
        assertThat(scene.reason()).isEqualTo("cache_hit");
    }
}
