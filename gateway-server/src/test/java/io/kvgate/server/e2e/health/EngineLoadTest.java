package io.kvgate.server.e2e.health;

import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.kvgate.server.config.RegistrationConfig;
import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What engines tell of their load, and what the gateway knows beside it. */
@Timeout(60)
final class EngineLoadTest {
    private static final List<String> LOAD_PATHS = List.of("/load", "/get_load", "/v1/loads", "/metrics");

    @RegisterExtension
    final Fleet fleet = new Fleet();

    private static long asked(ScriptedWorker worker, String path) {
        return worker.probes().stream()
                .filter(probe -> probe.path().equals(path))
                .count();
    }

    @Test
    void report085_stalePolls_doNotDrawTheWholeBurst() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedWorker idle = fleet.worker(Scripts.slowHead(release, Scripts.completion()));
        ScriptedWorker busy = fleet.worker(Scripts.slowHead(release, Scripts.completion()));
        idle.on("GET /load", Scripts.json(200, "{\"server_load\":0}"));
        busy.on("GET /load", Scripts.json(200, "{\"server_load\":10}"));
        GatewayFixture gateway = fleet.gateway(config -> {
            config.policy("power_of_two");
            config.registration = new RegistrationConfig(Duration.ofSeconds(30), Duration.ofSeconds(10));
        });
        await().until(() -> gateway.scrape().sum("kvgate_worker_load_polls_total", "result", "ok") >= 2);
        List<Future<Parallel.Timed<ClientResponse>>> calls = Parallel.start(100, number -> gateway.chat(REQ_N));
        await().until(() -> idle.running() + busy.running() == 100);
        assertThat(idle.running()).isBetween(35, 65);
        release.countDown();
        for (Future<Parallel.Timed<ClientResponse>> call : calls) {
            assertThat(call.get().value().status()).isEqualTo(200);
        }
    }

    @Test
    void report086_eachEngine_isAskedWhereItAnswers() throws Exception {
        ScriptedWorker vllm = fleet.worker(Scripts.completion());
        vllm.on("GET /load", Scripts.json(200, "{\"server_load\":3}"));
        ScriptedWorker sglang = fleet.worker(Scripts.completion());
        sglang.on(
                "GET /get_load",
                Scripts.json(200, "[{\"dp_rank\":0,\"num_reqs\":5,\"num_waiting_reqs\":1,\"num_tokens\":500}]"));
        ScriptedWorker silent = fleet.worker(Scripts.completion());
        GatewayFixture gateway = fleet.gateway(config -> {
            config.policy("least_load");
            config.registration = new RegistrationConfig(Duration.ofSeconds(30), Duration.ofMillis(200));
        });
        await().until(() -> asked(vllm, "/load") >= 6 && asked(sglang, "/get_load") >= 6);
        assertThat(gateway.scrape().has("kvgate_worker_load_polls_total", "source", "load"))
                .isTrue();
        assertThat(gateway.scrape().has("kvgate_worker_load_polls_total", "source", "get_load"))
                .isTrue();
        assertThat(gateway.scrape().has("kvgate_worker_load_polls_total", "source", "none"))
                .isTrue();
        for (String path : LOAD_PATHS) {
            assertThat(asked(silent, path)).as("%s at the silent one", path).isLessThanOrEqualTo(2);
            if (!path.equals("/load")) {
                assertThat(asked(vllm, path)).as("%s at vllm", path).isLessThanOrEqualTo(2);
            }
        }
        assertThat(gateway.log().messages(Level.WARN))
                .filteredOn(line -> line.contains(String.valueOf(silent.port())))
                .hasSizeLessThanOrEqualTo(1);
        assertThat(gateway.chat(REQ_N).status()).isEqualTo(200);
    }
}
