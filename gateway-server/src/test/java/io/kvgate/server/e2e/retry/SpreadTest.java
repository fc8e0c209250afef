package io.kvgate.server.e2e.retry;

import static io.kvgate.server.e2e.kit.Vocabulary.REQ_N;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.server.e2e.kit.ClientResponse;
import io.kvgate.server.e2e.kit.Fleet;
import io.kvgate.server.e2e.kit.GatewayFixture;
import io.kvgate.server.e2e.kit.Parallel;
import io.kvgate.server.e2e.kit.ScriptedWorker;
import io.kvgate.server.e2e.kit.Scripts;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Load is counted on every path, in the same step as the choice. */
@Timeout(60)
final class SpreadTest {
    @RegisterExtension
    final Fleet fleet = new Fleet();

    @ParameterizedTest
    @CsvSource({
        "power_of_two,/v1/chat/completions",
        "power_of_two,/v1/rerank",
        "power_of_two,/generate",
        "power_of_two,/v1/responses",
        "least_load,/v1/embeddings",
        "least_load,/v1/completions",
        "cache_aware,/v1/chat/completions",
        "cache_aware,/v1/rerank",
        "cache_aware,/generate"
    })
    void report078_heldRequests_spreadOnEveryPath(String policy, String path) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        List<ScriptedWorker> workers = fleet.workers(4, Scripts.slowHead(release, Scripts.completion()));
        GatewayFixture gateway = fleet.gateway(config -> config.policy(policy));
        List<Future<Parallel.Timed<ClientResponse>>> calls = Parallel.start(120, number -> gateway.post(path, REQ_N));
        await().until(() -> workers.stream().mapToInt(ScriptedWorker::running).sum() == 120);
        assertThat(gateway.scrape().sum("smg_worker_requests_active")).isEqualTo(120);
        release.countDown();
        for (Future<Parallel.Timed<ClientResponse>> call : calls) {
            assertThat(call.get().value().status()).isEqualTo(200);
        }
        assertThat(workers)
                .allSatisfy(worker ->
                        assertThat(worker.requestCount()).as("%s", worker.url()).isBetween(21, 39));
    }
}
