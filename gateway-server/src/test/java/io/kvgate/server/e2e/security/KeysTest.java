package io.kvgate.server.e2e.security;

import static io.kvgate.server.e2e.kit.GatewayErrors.assertError;
import static io.kvgate.server.e2e.kit.Vocabulary.COMPLETION;
import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.kvgate.server.config.LogConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.ConfigChange;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which key opens what, which one workers see, and that none is ever told. */
@Timeout(60)
final class KeysTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    private List<String> seenByWorker(Consumer<ConfigChange> change, String workerKey, String... lines)
            throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(
                config -> {
                    if (!workerKey.isEmpty()) {
                        config.workerKey(worker, workerKey);
                    }
                    change.accept(config);
                },
                1);
        assertThat(gateway.chat(REQ_N, lines).status()).isEqualTo(200);
        return worker.requests().get(0).headers().all("authorization");
    }

    @Test
    void report179_workerKeyAndGatewayKey_workerSeesItsOwnOnly() throws Exception {
        assertThat(seenByWorker(config -> config.apiKey("user-1"), "w-key", "Authorization: Bearer user-1"))
                .containsExactly("Bearer w-key");
    }

    @Test
    void report179_gatewayKeyWithoutWorkerKey_isNotPassedOn() throws Exception {
        assertThat(seenByWorker(config -> config.apiKey("user-1"), "", "Authorization: Bearer user-1"))
                .isEmpty();
    }

    @Test
    void report180_workerKeyWithoutClientHeader_isSent() throws Exception {
        assertThat(seenByWorker(config -> {}, "w-key")).containsExactly("Bearer w-key");
    }

    @Test
    void report180_workerKeyWithClientHeader_wins() throws Exception {
        assertThat(seenByWorker(config -> {}, "w-key", "Authorization: Bearer mine"))
                .containsExactly("Bearer w-key");
    }

    @Test
    void report180_clientHeaderWithoutWorkerKey_isPassedOn() throws Exception {
        assertThat(seenByWorker(config -> {}, "", "Authorization: Bearer mine")).containsExactly("Bearer mine");
    }

    @Test
    void report180_noKeyAtAll_sendsNone() throws Exception {
        assertThat(seenByWorker(config -> {}, "")).isEmpty();
    }

    @Test
    void report183_secrets_areToldNowhere() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        for (String path : List.of("/get_server_info", "/server_info")) {
            worker.on(
                    "GET " + path,
                    exchange -> exchange.json(
                            200,
                            "{\"version\":\"1\",\"api_key\":\"sec-engine\",\"admin_api_key\":\"sec-admin\","
                                    + "\"ssl_keyfile_password\":\"sec-ssl\",\"nested\":{\"api_key\":\"sec-deep\"}}"));
        }
        GatewayFixture gateway = fleet.gateway(config ->
                config.workerKey(worker, "sec-worker").apiKey("sec-user").adminKeys("sec-control"));
        String user = "Authorization: Bearer sec-user";
        String admin = "Authorization: Bearer sec-control";
        StringBuilder told = new StringBuilder();
        for (String path : List.of(
                "/get_server_info", "/server_info", "/workers", "/config", "/v1/models", "/readiness", "/get_loads")) {
            told.append(gateway.get(path, user).text());
            told.append(gateway.get(path, admin).text());
            told.append(gateway.get(path).text());
        }
        worker.crash();
        told.append(gateway.chat(REQ_N, user).text());
        told.append(gateway.chat(REQ_N, "Authorization: Bearer sec-wrong").text());
        told.append(gateway.scrape().text());
        told.append(gateway.log().events());
        told.append(gateway.log().accessLines());
        assertThat(told.toString()).doesNotContain("sec-");
        assertThat(told.toString()).contains("\"version\":\"1\"");
    }

    private static int status(GatewayFixture gateway, String method, String path, String key) throws Exception {
        String[] lines = key.isEmpty() ? new String[0] : new String[] {"Authorization: Bearer " + key};
        return gateway.call(io.kvgate.server.e2e.kit.RawClient.request(method, path, "", lines))
                .status();
    }

    private static void assertProbesOpen(GatewayFixture gateway) throws Exception {
        for (String path : List.of("/health", "/liveness", "/readiness")) {
            assertThat(status(gateway, "GET", path, "")).as(path).isEqualTo(200);
        }
        assertThat(gateway.scrape().text()).isNotEmpty();
    }

    @Test
    void report184_noKeySet_adminRoutesAreOpen() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway();
        assertProbesOpen(gateway);
        assertThat(status(gateway, "GET", "/workers", "")).isEqualTo(200);
    }

    @Test
    void report184_onlyUserKey_opensAdminRoutesToo() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.apiKey("user-1"));
        assertProbesOpen(gateway);
        assertThat(status(gateway, "GET", "/workers", "")).isEqualTo(401);
        assertThat(status(gateway, "POST", "/flush_cache", "")).isEqualTo(401);
        assertThat(status(gateway, "GET", "/workers", "user-1")).isEqualTo(200);
        assertError(gateway.chat(REQ_N), 401, "unauthorized");
    }

    @Test
    void report184_onlyAdminKey_leavesInferenceOpen() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.adminKeys("adm-1"));
        assertProbesOpen(gateway);
        assertThat(status(gateway, "GET", "/workers", "")).isEqualTo(401);
        assertThat(status(gateway, "POST", "/flush_cache", "")).isEqualTo(401);
        assertThat(status(gateway, "GET", "/workers", "adm-1")).isEqualTo(200);
        assertThat(gateway.chat(REQ_N).text()).isEqualTo(COMPLETION);
    }

    @Test
    void report184_bothKeys_userKeyIsNoAdminKey() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.apiKey("user-1").adminKeys("adm-1"));
        assertProbesOpen(gateway);
        assertThat(status(gateway, "GET", "/workers", "user-1")).isIn(401, 403);
        assertThat(status(gateway, "POST", "/flush_cache", "user-1")).isIn(401, 403);
        assertThat(status(gateway, "GET", "/workers", "adm-1")).isEqualTo(200);
        assertThat(gateway.chat(REQ_N, "Authorization: Bearer user-1").status()).isEqualTo(200);
    }

    @Test
    void report189_connectFailure_tellsNoAddress() throws Exception {
        ScriptedWorker worker = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> config.noProbes().noRetries());
        worker.crash();
        ClientResponse response = gateway.chat(REQ_N);
        assertThat(response.text()).doesNotContain("127.0.0.1", String.valueOf(worker.port()), "java.", "io.netty");
        await().atMost(GatewayFixture.SETTLE)
                .untilAsserted(() -> assertThat(String.join("\n", gateway.log().accessLines()))
                        .contains(String.valueOf(worker.port())));
    }

    @Test
    void report189_workersOwnErrorBody_passesUnchanged() throws Exception {
        String body = "{\"detail\":\"Traceback (most recent call last):\\n  File \\\"x.py\\\"\"}";
        fleet.worker(Scripts.json(500, body));
        ClientResponse response = fleet.gateway(ConfigChange::noRetries).chat(REQ_N);
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.text()).isEqualTo(body);
    }

    @Test
    void report190_secretsAndPrompts_areNotLogged() throws Exception {
        fleet.worker(Scripts.completion());
        GatewayFixture gateway =
                fleet.gateway(config -> config.log = new LogConfig(LogConfig.Level.DEBUG, null, false, true));
        gateway.log().level(Level.DEBUG);
        gateway.post(
                io.kvgate.server.e2e.kit.Vocabulary.CHAT + "?key=sec-query",
                REQ_N.replace("count to three", "sec-prompt"),
                "Authorization: Bearer sec-bearer",
                "api-key: sec-api",
                "Cookie: s=sec-cookie");
        gateway.chat("{\"sec-broken\"");
        await().atMost(GatewayFixture.SETTLE)
                .until(() -> gateway.log().accessLines().size() >= 2);
        assertThat(gateway.log().events())
                .extracting(event -> event.getFormattedMessage())
                .noneMatch(line -> line.contains("sec-"));
    }
}
