package io.kvgate.server.e2e.policies;

import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyRoutingTest {
    private static final String EXPLAIN = "x-kvgate-explain: 1";
    private static final String LONG_PROMPT = "You are a patient assistant of the harbour office. ".repeat(80);

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static String chat(String system, String user) {
        return chat("tiny-1", system, user, "");
    }

    private static String chat(String model, String system, String user, String more) {
        return "{\"model\":\"" + model + "\",\"messages\":[{\"role\":\"system\",\"content\":\"" + system
                + "\"},{\"role\":\"user\",\"content\":\"" + user + "\"}]" + more + "}";
    }

    private static String worker(ClientResponse response) {
        assertThat(response.status()).as("%s", response).isEqualTo(200);
        return requireNonNull(response.header("x-kvgate-worker"));
    }

    private static String decision(ClientResponse response) {
        return requireNonNull(response.header("x-kvgate-decision"));
    }

    private GatewayFixture gateway(int workers, String policy) throws IOException {
        fleet.workers(workers, Scripts.chat());
        return fleet.gateway(config -> config.policy(policy));
    }

    private static Set<String> workersOf(GatewayFixture gateway, int requests, String... headers) throws IOException {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < requests; i++) {
            seen.add(worker(gateway.chat(chat(LONG_PROMPT, "turn " + i), headers)));
        }
        return seen;
    }

    @ParameterizedTest
    @CsvSource({
        "random, random",
        "round_robin, turn",
        "power_of_two, tie",
        "least_load, tie",
        "cache_aware, cold",
        "bucket, range",
        "manual, vacant",
        "consistent_hashing, routing_key_hit",
        "prefix_hash, ring_hit"
    })
    void decision_firstRequest_namesPolicyAndReason(String policy, String reason) throws IOException {
        GatewayFixture gateway = gateway(3, policy);
        ClientResponse response = gateway.chat(chat(LONG_PROMPT, "one"), EXPLAIN, "X-SMG-Routing-Key: tenant-42");
        assertThat(decision(response)).isEqualTo("policy=" + policy + "; reason=" + reason + "; attempt=1");
        assertThat(gateway.scrape().sum("smg_worker_selection_total", "policy", policy))
                .isEqualTo(1);
    }

    @Test
    void cacheAware_promptsWithOneBeginning_stayTogether() throws IOException {
        GatewayFixture gateway = gateway(4, "cache_aware");
        assertThat(workersOf(gateway, 12)).hasSize(1);
    }

    @Test
    void cacheAware_conversationGoesOn_staysWithItsWorker() throws IOException {
        GatewayFixture gateway = gateway(4, "cache_aware");
        List<String> seen = new ArrayList<>();
        StringBuilder messages = new StringBuilder("{\"role\":\"user\",\"content\":\"" + LONG_PROMPT + "\"}");
        for (int turn = 0; turn < 8; turn++) {
            seen.add(worker(gateway.chat("{\"model\":\"tiny-1\",\"messages\":[" + messages + "]}")));
            messages.append(",{\"role\":\"assistant\",\"content\":\"answer " + turn
                            + "\"},{\"role\":\"user\",\"content\":")
                    .append("[{\"type\":\"text\",\"text\":\"and then? " + turn + "\"}]}");
        }
        assertThat(new HashSet<>(seen)).hasSize(1);
    }

    @Test
    void cacheAware_otherScope_isNoMatch() throws IOException {
        GatewayFixture gateway = gateway(2, "cache_aware");
        gateway.chat(chat(LONG_PROMPT, "one"));
        for (String more : List.of(
                ",\"cache_salt\":\"tenant-a\"",
                ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"tide\"}}]",
                ",\"lora_path\":\"harbour\"",
                ",\"extra_key\":\"k\"")) {
            ClientResponse response = gateway.chat(chat("tiny-1", LONG_PROMPT, "one", more), EXPLAIN);
            assertThat(decision(response)).as(more).contains("reason=cold");
            ClientResponse again = gateway.chat(chat("tiny-1", LONG_PROMPT, "one", more), EXPLAIN);
            assertThat(decision(again)).as(more).doesNotContain("reason=cold");
            assertThat(worker(again)).as(more).isEqualTo(worker(response));
        }
    }

    @Test
    void cacheAware_twoModels_shareNoTree() throws IOException {
        fleet.worker(Scripts.chat()).servesModels("m1", "m2");
        GatewayFixture gateway = fleet.gateway(config -> config.policy("cache_aware"));
        gateway.chat(chat("m1", LONG_PROMPT, "one", ""));
        assertThat(decision(gateway.chat(chat("m1", LONG_PROMPT, "one", ""), EXPLAIN)))
                .doesNotContain("reason=cold");
        // One worker alone is chosen without the tree; two of each model show it.
        fleet.worker(Scripts.chat()).servesModels("m1", "m2");
        GatewayFixture two = fleet.gateway(config -> config.policy("cache_aware"));
        two.chat(chat("m1", LONG_PROMPT, "one", ""));
        assertThat(decision(two.chat(chat("m2", LONG_PROMPT, "one", ""), EXPLAIN)))
                .contains("reason=cold");
    }

    @Test
    void cacheAware_ownerFails_requestAndPromptMoveOn() throws IOException {
        List<ScriptedWorker> workers = fleet.workers(2, Scripts.chat());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("cache_aware"));
        ClientResponse first = gateway.chat(chat(LONG_PROMPT, "one"));
        ScriptedWorker owner = workers.stream()
                .filter(worker -> worker.requestCount() == 1)
                .findFirst()
                .orElseThrow();
        owner.script(Scripts.resetBeforeHead());
        ClientResponse moved = gateway.chat(chat(LONG_PROMPT, "one"), EXPLAIN);
        assertThat(worker(moved)).isNotEqualTo(worker(first));
        assertThat(decision(moved)).contains("attempt=2");
    }

    @Test
    void cacheAware_answersAreWhatTheWorkerSaid() throws IOException {
        GatewayFixture gateway = gateway(2, "cache_aware");
        assertThat(gateway.chat(chat(LONG_PROMPT, "\\u00e9\\ud83d\\ude00 \\n \\\"quoted\\\""))
                        .text())
                .isEqualTo(COMPLETION);
    }

    @Test
    void consistentHashing_keys_stayAndSpread() throws IOException {
        GatewayFixture gateway = gateway(3, "consistent_hashing");
        Set<String> all = new HashSet<>();
        for (int key = 0; key < 30; key++) {
            Set<String> ofKey = workersOf(gateway, 3, "X-SMG-Routing-Key: tenant-" + key);
            assertThat(ofKey).hasSize(1);
            all.addAll(ofKey);
        }
        assertThat(all).hasSize(3);
    }

    @Test
    void consistentHashing_noRoutingKey_authorizationIsTheKey() throws IOException {
        GatewayFixture gateway = gateway(3, "consistent_hashing");
        assertThat(workersOf(gateway, 6, "Authorization: Bearer sk-test")).hasSize(1);
        assertThat(workersOf(gateway, 6, "Cookie: sid=abc")).hasSize(1);
    }

    @Test
    void consistentHashing_targetWorker_isAPositionInThePool() throws IOException {
        List<ScriptedWorker> workers = fleet.workers(3, Scripts.chat());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("consistent_hashing"));
        gateway.chat(chat("s", "u"), "X-SMG-Target-Worker: 1", "X-SMG-Routing-Key: tenant-42");
        assertThat(workers.stream().map(ScriptedWorker::requestCount)).containsExactly(0, 1, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "-1", "abc", "1.0", "99999999999999999999"})
    void consistentHashing_targetThatIsNone_isARefusalThatNamesIt(String target) throws IOException {
        GatewayFixture gateway = gateway(3, "consistent_hashing");
        ClientResponse response =
                gateway.chat(chat("s", "u"), "X-SMG-Target-Worker: " + target, "X-SMG-Routing-Key: tenant-42");
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.text()).containsIgnoringCase("x-smg-target-worker").contains(target);
    }

    @Test
    void manual_key_staysWhenAWorkerJoins() throws IOException {
        fleet.workers(2, Scripts.chat());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("manual"));
        String before = worker(gateway.chat(chat("s", "u"), "X-SMG-Routing-Key: k"));
        ScriptedWorker joins = fleet.worker(Scripts.chat());
        gateway.post("/workers", "{\"url\":\"" + joins.url() + "\"}");
        gateway.awaitReadyWorkers(3);
        assertThat(workersOf(gateway, 10, "X-SMG-Routing-Key: k")).containsExactly(before);
        assertThat(gateway.scrape().sum("smg_manual_policy_cache_entries")).isEqualTo(1);
        assertThat(gateway.scrape().sum("smg_manual_policy_branch_total", "branch", "occupied_hit"))
                .isEqualTo(10);
    }

    @Test
    void prefixHash_textOnly_isServedAndStays() throws IOException {
        // PH14: the reference answers every such request with 503.
        GatewayFixture gateway = gateway(3, "prefix_hash");
        assertThat(workersOf(gateway, 6)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"prefix_hash", "bucket", "cache_aware"})
    void promptPolicies_requestWithoutPrompt_isServed(String policy) throws IOException {
        GatewayFixture gateway = gateway(3, policy);
        for (String body : List.of(
                "{\"model\":\"tiny-1\"}",
                "{\"model\":\"tiny-1\",\"messages\":null}",
                "{\"model\":\"tiny-1\",\"messages\":[1,{},null,[],{\"role\":7,\"content\":{\"a\":1}}]}",
                "{\"model\":\"tiny-1\",\"messages\":[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{}]}]}")) {
            assertThat(gateway.chat(body).status()).as(body).isEqualTo(200);
        }
    }

    @Test
    void prefixHash_tokenIds_areThePrefix() throws IOException {
        GatewayFixture gateway = gateway(3, "prefix_hash");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            StringBuilder ids = new StringBuilder("1");
            for (int t = 2; t <= 256; t++) {
                ids.append(',').append(t);
            }
            String body = "{\"input_ids\":[" + ids + "," + (1_000 + i) + "],\"sampling_params\":{}}";
            seen.add(worker(gateway.post("/generate", body)));
        }
        assertThat(seen).hasSize(1);
    }

    @Test
    void hint_firstWorkerOfAModel_setsItsPolicy() throws IOException {
        ScriptedWorker first = fleet.worker(Scripts.chat());
        ScriptedWorker second = fleet.worker(Scripts.chat());
        GatewayFixture gateway = fleet.gateway(
                config -> {
                    config.policy("random");
                    config.workers.clear();
                },
                0);
        gateway.post("/workers", "{\"url\":\"" + first.url() + "\",\"labels\":{\"policy\":\"round_robin\"}}");
        gateway.awaitReadyWorkers(1);
        gateway.post("/workers", "{\"url\":\"" + second.url() + "\",\"labels\":{\"policy\":\"manual\"}}");
        gateway.awaitReadyWorkers(2);
        assertThat(decision(gateway.chat(chat("s", "u"), EXPLAIN))).startsWith("policy=round_robin;");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fastest", "kv", "", "round-robin"})
    void hint_unknownPolicy_isRefusedWithTheKnownOnes(String policy) throws IOException {
        ScriptedWorker worker = fleet.worker(Scripts.chat());
        GatewayFixture gateway = fleet.gateway(config -> config.workers.clear(), 0);
        ClientResponse refused = gateway.post(
                "/workers", "{\"url\":\"" + worker.url() + "\",\"labels\":{\"policy\":\"" + policy + "\"}}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).contains("labels.policy").contains("cache_aware");
    }

    @Test
    void hint_changedLater_isRefused() throws IOException {
        GatewayFixture gateway = gateway(1, "random");
        String id = worker(gateway.chat(chat("s", "u")));
        ClientResponse refused =
                gateway.call(RawClient.request("PUT", "/workers/" + id, "{\"labels\":{\"policy\":\"manual\"}}"));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).contains("labels.policy");
    }

    @Test
    void target_none_isExplainedWhereAsked() throws IOException {
        GatewayFixture gateway = gateway(2, "consistent_hashing");
        ClientResponse refused = gateway.chat(chat("s", "u"), EXPLAIN, "X-SMG-Target-Worker: 9");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(decision(refused)).isEqualTo("policy=consistent_hashing; reason=target_worker_miss; attempt=0");
        assertThat(gateway.log().accessLines()).anyMatch(line -> line.contains("reason=target_worker_miss"));
    }

    @Test
    void target_failingWorker_isNoMiss() throws IOException {
        List<ScriptedWorker> workers = fleet.workers(2, Scripts.chat());
        GatewayFixture gateway = fleet.gateway(
                config -> config.policy("consistent_hashing").attempts(3).noBreaker());
        workers.get(1).script(Scripts.json(503, "{}"));
        gateway.chat(chat("s", "u"), "X-SMG-Target-Worker: 1");
        assertThat(workers.get(1).requestCount()).isEqualTo(3);
        assertThat(workers.get(0).requestCount()).isZero();
        String branches = "smg_consistent_hashing_policy_branch_total";
        assertThat(gateway.scrape().sum(branches, "branch", "target_worker_miss"))
                .isZero();
        assertThat(gateway.scrape().sum(branches, "branch", "target_worker_hit"))
                .isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"prefix_hash", "consistent_hashing", "cache_aware", "manual"})
    void allWorkersFailed_nextAttempt_isNotAtTheLastOne(String policy) throws IOException {
        List<ScriptedWorker> workers = fleet.workers(2, Scripts.json(503, "{}"));
        GatewayFixture gateway =
                fleet.gateway(config -> config.policy(policy).attempts(4).noBreaker());
        gateway.chat(chat(LONG_PROMPT, "u"), "X-SMG-Routing-Key: k");
        assertThat(workers.stream().map(ScriptedWorker::requestCount)).containsExactly(2, 2);
    }

    @Test
    void cacheAware_tokenIds_matchOnBothPaths() throws IOException {
        GatewayFixture gateway = gateway(4, "cache_aware");
        String ids = IntStream.range(0, 1_500).mapToObj(Integer::toString).collect(Collectors.joining(","));
        Set<String> generate = new HashSet<>();
        Set<String> completions = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            generate.add(worker(gateway.post("/generate", "{\"input_ids\":[7," + ids + "," + i + "]}")));
            completions.add(worker(
                    gateway.post("/v1/completions", "{\"model\":\"tiny-1\",\"prompt\":[" + ids + "," + i + "]}")));
        }
        assertThat(generate).hasSize(1);
        assertThat(completions).hasSize(1);
    }
}
