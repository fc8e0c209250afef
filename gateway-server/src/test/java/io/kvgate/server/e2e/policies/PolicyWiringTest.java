package io.kvgate.server.e2e.policies;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.policies.PolicyConfig;
import io.kvgate.policies.PolicySettings;
import io.kvgate.server.config.RoutingConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Script;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Prompts, headers, labels and time reach the policies through the whole gateway. */
@Timeout(60)
final class PolicyWiringTest {
    private static final String EXPLAIN = "x-kvgate-explain: 1";
    private static final String BIG_TEXT = "many words ".repeat(110_000);

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static String chat(String content) {
        return "{\"model\":\"tiny-1\",\"messages\":[{\"role\":\"user\",\"content\":\"" + content + "\"}]}";
    }

    private static String decision(ClientResponse response) {
        assertThat(response.status()).as("%s", response).isEqualTo(200);
        return String.valueOf(response.header("x-kvgate-decision"));
    }

    @Test
    void cacheAware_bodyReadElsewhere_hasItsPrompt() throws Exception {
        fleet.workers(2, Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("cache_aware"));
        assertThat(decision(gateway.chat(chat(BIG_TEXT + "a"), EXPLAIN))).contains("reason=cold");
        assertThat(decision(gateway.chat(chat(BIG_TEXT + "b"), EXPLAIN))).contains("reason=cache_hit");
    }

    /** The first worker that is asked breaks off; only the prompt can tell the policy anything about the next one. */
    private static Script resetOnce(AtomicInteger asked) {
        return exchange ->
                (asked.getAndIncrement() == 0 ? Scripts.resetBeforeHead() : Scripts.completion()).run(exchange);
    }

    @Test
    void cacheAware_retry_readsThePromptAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        fleet.workers(2, resetOnce(asked));
        GatewayFixture gateway = fleet.gateway(config -> config.policy("cache_aware"));
        assertThat(decision(gateway.chat(chat("a question"), EXPLAIN)))
                .endsWith("attempt=2")
                .doesNotContain("reason=no_text");
    }

    @Test
    void cacheAware_retryOfALargeBody_goesByLoad() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        fleet.workers(3, resetOnce(asked));
        GatewayFixture gateway = fleet.gateway(config -> config.policy("cache_aware"));
        assertThat(decision(gateway.chat(chat(BIG_TEXT), EXPLAIN)))
                .contains("reason=no_text")
                .endsWith("attempt=2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "-1", "abc", "99999999999"})
    void consistentHashing_targetThatIsNobody_is503NamingIt(String target) throws Exception {
        List<ScriptedWorker> workers = fleet.workers(2, Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("consistent_hashing"));
        ClientResponse response = gateway.chat(chat("x"), "X-SMG-Target-Worker: " + target);
        assertThat(assertError(response, 503, "no_available_workers")
                        .path("message")
                        .asText())
                .isEqualTo(
                        "X-SMG-Target-Worker: " + target + ": no available worker has this position (2 workers known, 2"
                                + " available; expected: 0 to 1)");
        assertThat(workers).allMatch(worker -> worker.requestCount() == 0);
        assertThat(gateway.chat(chat("x"), "X-SMG-Target-Worker: 1").status()).isEqualTo(200);
    }

    @Test
    void workerLabel_policy_holdsForItsModelWithTheParametersOfTheFlags() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("round_robin"));
        ScriptedWorker labelled = fleet.worker(Scripts.completion());
        ClientResponse added = gateway.post(
                "/workers",
                "{\"url\":\"" + labelled.url()
                        + "\",\"model_id\":\"keyed\",\"labels\":{\"policy\":\"consistent_hashing\"}}");
        assertThat(added.status()).as("%s", added).isEqualTo(202);
        gateway.awaitReadyWorkers(2);
        String body = chat("x").replace("tiny-1", "keyed");
        assertThat(decision(gateway.chat(body, EXPLAIN, "X-SMG-Routing-Key: k")))
                .isEqualTo("policy=consistent_hashing; reason=routing_key_hit; attempt=1");
    }

    @Test
    void workerLabel_policyThatReadsPrompts_getsThem() throws Exception {
        GatewayFixture gateway = fleet.gateway(config -> config.policy("random"));
        ScriptedWorker labelled = fleet.worker(Scripts.completion());
        gateway.post(
                "/workers",
                "{\"url\":\"" + labelled.url() + "\",\"model_id\":\"tree\",\"labels\":{\"policy\":\"cache_aware\"}}");
        gateway.awaitReadyWorkers(1);
        fleet.worker(Scripts.completion());
        String body = chat("a text of some length").replace("tiny-1", "tree");
        String first = decision(gateway.chat(body, EXPLAIN));
        assertThat(first).startsWith("policy=cache_aware; reason=").doesNotContain("no_text");
    }

    @Test
    void manual_idleKeys_areForgottenByTheUpkeep() throws Exception {
        fleet.workers(2, Scripts.completion());
        PolicySettings quick = quickManual();
        GatewayFixture gateway = fleet.gateway(
                config -> config.routing = new RoutingConfig("manual", quick, RoutingConfig.ModelRouting.MATCH));
        gateway.chat(chat("x"), "X-SMG-Routing-Key: k");
        assertThat(gateway.scrape().sum("smg_manual_policy_cache_entries")).isEqualTo(1);
        await().untilAsserted(() -> assertThat(gateway.scrape().sum("smg_manual_policy_cache_entries"))
                .isZero());
    }

    private static PolicySettings quickManual() {
        PolicySettings defaults = PolicySettings.DEFAULT;
        Duration soon = Duration.ofMillis(300);
        return new PolicySettings(
                defaults.powerOfTwo(),
                defaults.leastLoad(),
                defaults.cacheAware(),
                defaults.bucket(),
                new PolicyConfig.Manual(soon, soon, PolicyConfig.Manual.AssignmentMode.RANDOM, 10),
                defaults.consistentHashing(),
                defaults.prefixHash());
    }
}
