package io.kvgate.server.e2e.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.policies.PolicyConfig;
import io.kvgate.policies.PolicySettings;
import io.kvgate.server.config.RoutingConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayErrors;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.RawClient;
import io.kvgate.server.e2e.kit.Script;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What users of such gateways reported of their policies, tried on the whole gateway. */
@Timeout(90)
final class PolicyReportsTest {
    /** So many that chance leaves one of four workers out once in ten million runs. */
    private static final int CHATS = 60;

    private static final String EXPLAIN = "x-kvgate-explain: 1";

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static String body(String model, String messages) {
        return "{\"model\":\"" + model + "\",\"messages\":[" + messages + "]}";
    }

    private static String message(String role, String content) {
        return "{\"role\":\"" + role + "\",\"content\":\"" + content + "\"}";
    }

    private static String user(String content) {
        return body("tiny-1", message("user", content));
    }

    private static String worker(ClientResponse response) {
        assertThat(response.status()).as("%s", response).isEqualTo(200);
        return requireNonNull(response.header("x-kvgate-worker"));
    }

    private static String reason(ClientResponse response) {
        return requireNonNull(response.header("x-kvgate-decision")).replaceFirst(".*reason=([^;]*);.*", "$1");
    }

    private GatewayFixture gateway(int workers, String policy) throws IOException {
        fleet.workers(workers, Scripts.completion());
        return fleet.gateway(config -> config.policy(policy));
    }

    /** Answers at once, or when the latch opens if the body holds the word. */
    private static Script held(CountDownLatch latch) {
        return exchange -> {
            if (exchange.request().bodyText().contains("hold this")) {
                exchange.await(latch);
            }
            Scripts.completion().run(exchange);
        };
    }

    @Test
    void report068_images_countByTheirDigestAndPassUnchanged() throws Exception {
        GatewayFixture gateway = gateway(2, "cache_aware");
        for (int size : new int[] {300_000, 2_000_000}) {
            String image = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA".repeat(size / 24);
            String body =
                    "{\"model\":\"tiny-1\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"what is"
                            + " this? " + size + "\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"" + image
                            + "\"}}]}]}";
            double before = gateway.scrape().sum("kvgate_cache_aware_tree_characters");
            List<Parallel.Timed<ClientResponse>> calls = Parallel.run(8, number -> gateway.chat(body));
            assertThat(calls).allMatch(call -> call.value().status() == 200);
            assertThat(gateway.scrape().sum("kvgate_cache_aware_tree_characters") - before)
                    .isLessThan(1_000);
            assertThat(reason(gateway.chat(body.replace("GgoAAAAN", "GgoBBBBN"), EXPLAIN)))
                    .as("another image: the text before it alone is shared")
                    .isNotEqualTo("no_text");
        }
    }

    @Test
    void report084_workerJoins_missesFollowLoad() throws Exception {
        GatewayFixture gateway = gateway(3, "cache_aware");
        for (int i = 0; i < 30; i++) {
            gateway.chat(user("warm " + i * 31 + " up".repeat(50)));
        }
        ScriptedWorker joins = fleet.worker(Scripts.completion());
        gateway.post("/workers", "{\"url\":\"" + joins.url() + "\"}");
        gateway.awaitReadyWorkers(4);
        for (int i = 0; i < 100; i++) {
            gateway.chat(user(i * 7919 + " is a new prompt " + i));
        }
        assertThat(joins.requestCount()).isBetween(8, 40);
    }

    @Test
    void report089_chatsWithOneSystemPrompt_keepTheirWorkersAndSpread() throws Exception {
        GatewayFixture gateway = gateway(4, "cache_aware");
        String system = message("system", "You are the assistant of a harbour office. ".repeat(5));
        Set<String> homes = new HashSet<>();
        int stayed = 0;
        for (int chat = 0; chat < CHATS; chat++) {
            StringBuilder messages = new StringBuilder(system)
                    .append(',')
                    .append(message("user", (chat * 7919 + " ships and their cargo ").repeat(40)));
            String home = worker(gateway.chat(body("tiny-1", messages.toString())));
            homes.add(home);
            for (int turn = 1; turn < 5; turn++) {
                messages.append(',').append(message("assistant", "answer " + turn));
                messages.append(',').append(message("user", "question " + turn));
                stayed += worker(gateway.chat(body("tiny-1", messages.toString())))
                                .equals(home)
                        ? 1
                        : 0;
            }
        }
        assertThat(stayed).isGreaterThanOrEqualTo(CHATS * 4 * 95 / 100);
        assertThat(homes).hasSize(4);
    }

    @Test
    void report091_requestIds_areNoKeys() throws Exception {
        GatewayFixture gateway = gateway(3, "consistent_hashing");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            ClientResponse response = gateway.chat(
                    user("turn " + i).replaceFirst("}$", ",\"user\":\"u1\"}"), EXPLAIN, "X-Request-Id: same");
            assertThat(reason(response)).isEqualTo("random_fallback");
            seen.add(worker(response));
        }
        assertThat(seen).hasSize(3);
        Set<String> keyed = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            keyed.add(worker(gateway.chat(user("turn " + i), "X-Request-Id: r" + i, "X-SMG-Routing-Key: s-17")));
        }
        assertThat(keyed).hasSize(1);
    }

    private static Map<String, String> places(GatewayFixture gateway, int keys) throws IOException {
        Map<String, String> places = new HashMap<>();
        for (int key = 0; key < keys; key++) {
            places.put("k" + key, worker(gateway.chat(user("x"), "X-SMG-Routing-Key: k" + key)));
        }
        return places;
    }

    private static Set<String> moved(Map<String, String> before, Map<String, String> after) {
        Set<String> moved = new HashSet<>(before.keySet());
        moved.removeIf(key -> before.get(key).equals(after.get(key)));
        return moved;
    }

    private void addTwo(GatewayFixture gateway, int known) throws IOException {
        for (int i = 0; i < 2; i++) {
            ScriptedWorker joins = fleet.worker(Scripts.completion());
            gateway.post("/workers", "{\"url\":\"" + joins.url() + "\"}");
        }
        gateway.awaitReadyWorkers(known + 2);
    }

    @Test
    void report092_workersJoin_manualKeysStay() throws Exception {
        GatewayFixture gateway = gateway(4, "manual");
        Map<String, String> before = places(gateway, 100);
        addTwo(gateway, 4);
        assertThat(moved(before, places(gateway, 100))).isEmpty();
    }

    @Test
    void report092_workersJoin_onlyHashedKeysOfTheNewOnesMove() throws Exception {
        GatewayFixture gateway = gateway(4, "consistent_hashing");
        Map<String, String> before = places(gateway, 100);
        Set<String> old = new HashSet<>(before.values());
        addTwo(gateway, 4);
        Map<String, String> after = places(gateway, 100);
        Set<String> moved = moved(before, after);
        assertThat(moved).hasSizeBetween(1, 60).noneMatch(key -> old.contains(after.get(key)));
    }

    @Test
    void report093_hotKey_isBoundedIfAskedFor() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        List<ScriptedWorker> workers = fleet.workers(4, held(latch));
        PolicySettings defaults = PolicySettings.DEFAULT;
        PolicySettings bounded = new PolicySettings(
                defaults.powerOfTwo(),
                defaults.leastLoad(),
                defaults.cacheAware(),
                defaults.bucket(),
                defaults.manual(),
                new PolicyConfig.ConsistentHashing(1.5),
                defaults.prefixHash());
        GatewayFixture gateway = fleet.gateway(config ->
                config.routing = new RoutingConfig("consistent_hashing", bounded, RoutingConfig.ModelRouting.MATCH));
        List<Future<Parallel.Timed<ClientResponse>>> calls =
                Parallel.start(40, number -> gateway.chat(user("hold this"), "X-SMG-Routing-Key: hot"));
        await().until(() -> workers.stream().mapToInt(ScriptedWorker::running).sum() == 40);
        assertThat(workers).allMatch(worker -> worker.running() <= 16);
        latch.countDown();
        for (Future<Parallel.Timed<ClientResponse>> call : calls) {
            assertThat(call.get().value().status()).isEqualTo(200);
        }
    }

    @Test
    void report094_pins_areOfOneModel() throws Exception {
        ScriptedWorker first = fleet.worker(Scripts.completion()).servesModels("model-a");
        ScriptedWorker second = fleet.worker(Scripts.completion()).servesModels("model-b");
        GatewayFixture gateway = fleet.gateway(config -> config.policy("manual"));
        for (int i = 0; i < 5; i++) {
            for (String model : List.of("model-a", "model-b")) {
                worker(gateway.chat(body(model, message("user", "x")), "X-SMG-Routing-Key: k1"));
            }
        }
        assertThat(first.requestCount()).isEqualTo(5);
        assertThat(second.requestCount()).isEqualTo(5);
    }

    @Test
    void report095_matchInTheMiddle_isNoPrefix() throws Exception {
        GatewayFixture gateway = gateway(2, "cache_aware");
        String tail = "the same long end of the text ".repeat(30);
        String start = "one beginning of a text ".repeat(30);
        String home = worker(gateway.chat(user(start + tail)));
        assertThat(reason(gateway.chat(user("X" + start + tail), EXPLAIN))).isEqualTo("cold");
        ClientResponse sameStart = gateway.chat(user(start + "and another end"), EXPLAIN);
        assertThat(reason(sameStart)).isEqualTo("cache_hit");
        assertThat(worker(sameStart)).isEqualTo(home);
    }

    @Test
    void report097_choiceByLoad_isRemembered() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        List<ScriptedWorker> workers = fleet.workers(2, held(latch));
        PolicySettings defaults = PolicySettings.DEFAULT;
        PolicySettings strict = new PolicySettings(
                defaults.powerOfTwo(),
                defaults.leastLoad(),
                new PolicyConfig.CacheAware(0.3, 0, 0, 1, Duration.ofSeconds(60), 0, Duration.ofSeconds(75)),
                defaults.bucket(),
                defaults.manual(),
                defaults.consistentHashing(),
                defaults.prefixHash());
        GatewayFixture gateway = fleet.gateway(
                config -> config.routing = new RoutingConfig("cache_aware", strict, RoutingConfig.ModelRouting.MATCH));
        List<Future<Parallel.Timed<ClientResponse>>> busy =
                Parallel.start(1, number -> gateway.chat(user("hold this")));
        await().until(() -> workers.stream().mapToInt(ScriptedWorker::running).sum() == 1);
        String text = "a conversation that begins while loads are uneven ".repeat(10);
        ClientResponse first = gateway.chat(user(text), EXPLAIN);
        assertThat(reason(first)).isEqualTo("imbalanced");
        latch.countDown();
        assertThat(busy.get(0).get().value().status()).isEqualTo(200);
        await().until(() -> gateway.scrape().sum("smg_worker_requests_active") == 0);
        for (int turn = 0; turn < 5; turn++) {
            ClientResponse next = gateway.chat(user(text + "and turn " + turn), EXPLAIN);
            assertThat(reason(next)).isEqualTo("cache_hit");
            assertThat(worker(next)).isEqualTo(worker(first));
        }
    }

    private static long gatewayThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("kvgate-"))
                .filter(thread -> !thread.getName().contains("reply"))
                .count();
    }

    @Test
    void report099_policiesThatComeAndGo_haveNoThreads() throws Exception {
        GatewayFixture gateway = gateway(1, "round_robin");
        ScriptedWorker guest = fleet.worker(Scripts.completion());
        gateway.chat(user("x"));
        long before = gatewayThreads();
        for (int i = 0; i < 20; i++) {
            ClientResponse added = gateway.post(
                    "/workers",
                    "{\"url\":\"" + guest.url() + "\",\"model_id\":\"m" + i + "\",\"labels\":{\"policy\":\"bucket\"}}");
            String id = GatewayErrors.json(added.text()).path("worker_id").asText();
            gateway.awaitReadyWorkers(2);
            ClientResponse response = gateway.chat(body("m" + i, message("user", "x")), EXPLAIN);
            assertThat(response.header("x-kvgate-decision")).startsWith("policy=bucket;");
            gateway.call(RawClient.request("DELETE", "/workers/" + id, ""));
            await().until(() -> gateway.get("/workers/" + id).status() == 404);
        }
        assertThat(gatewayThreads()).isLessThanOrEqualTo(before);
    }

    @Test
    void report101_oddPrompts_areServedByRealWorkers() throws Exception {
        List<ScriptedWorker> workers = fleet.workers(2, Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.policy("cache_aware"));
        List<String> bodies = List.of(
                user(""),
                user("x"),
                body("tiny-1", "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\"}]}"),
                body("tiny-1", ""));
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            for (String body : bodies) {
                seen.add(worker(gateway.chat(body)));
            }
        }
        assertThat(seen).hasSizeBetween(1, workers.size());
        assertThat(gateway.scrape().samples("kvgate_cache_aware_tree_characters"))
                .hasSize(2)
                .allMatch(sample -> sample.labels().getOrDefault("worker", "").startsWith("http://127.0.0.1:"));
    }

    @Test
    void report102_pins_moveOnlyWhileTheirWorkerIsDown() throws Exception {
        List<ScriptedWorker> workers = fleet.workers(3, Scripts.completion());
        GatewayFixture gateway = fleet.gateway(
                config -> config.policy("manual").probes(Duration.ofMillis(100), Duration.ofSeconds(2), 1, 1));
        Map<String, String> before = new HashMap<>();
        for (int key = 0; key < 45; key++) {
            before.put("k" + key, worker(gateway.chat(user("x"), "X-SMG-Routing-Key: k" + key)));
            gateway.get(List.of("/health", "/v1/models", "/readiness").get(key % 3));
        }
        assertThat(new HashSet<>(before.values())).hasSize(3);

        workers.get(0).health(Scripts.json(503, "{}"));
        gateway.awaitReadyWorkers(2);
        Map<String, String> meanwhile = places(gateway, 45);
        Set<String> moved = moved(before, meanwhile);
        List<String> left =
                new ArrayList<>(new HashSet<>(moved.stream().map(before::get).toList()));
        assertThat(left).as("only one worker's keys moved").hasSize(1);
        assertThat(meanwhile.values()).doesNotContain(left.get(0));
        assertThat(moved(meanwhile, places(gateway, 45))).as("no second flap").isEmpty();

        workers.get(0).health(Scripts.json(200, "{}"));
        gateway.awaitReadyWorkers(3);
        assertThat(moved(before, places(gateway, 45))).as("keys return").isEmpty();
    }

    @Test
    void report098_shortImbalance_movesOnlyWhatMeetsIt() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        fleet.workers(4, held(latch));
        GatewayFixture gateway = fleet.gateway(config -> config.policy("cache_aware"));
        List<String> chats = new ArrayList<>();
        Map<String, String> homes = new HashMap<>();
        for (int chat = 0; chat < 40; chat++) {
            String text = (chat * 7919 + " is what this chat is about. ").repeat(40);
            chats.add(text);
            homes.put(text, worker(gateway.chat(user(text))));
        }
        assertThat(new HashSet<>(homes.values())).hasSize(4);

        String spike = "hold this " + "unrelated load of its own ".repeat(40);
        List<Future<Parallel.Timed<ClientResponse>>> calls = Parallel.start(30, number -> gateway.chat(user(spike)));
        await().until(() -> gateway.scrape().sum("smg_worker_requests_active") == 30);
        latch.countDown();
        for (Future<Parallel.Timed<ClientResponse>> call : calls) {
            assertThat(call.get().value().status()).isEqualTo(200);
        }
        await().until(() -> gateway.scrape().sum("smg_worker_requests_active") == 0);
        int back = 0;
        for (String text : chats) {
            back += worker(gateway.chat(user(text + "and on"))).equals(homes.get(text)) ? 1 : 0;
        }
        assertThat(back).isGreaterThanOrEqualTo(36);
    }
}
