package io.kvgate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.http.ControlRequest;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute;
import io.kvgate.server.monitor.WorkerHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StoredResponseRoutesTest {
    private final WorkerRegistry registry =
            new WorkerRegistry(CircuitBreakerConfig.DEFAULT, Ticker.system(), new NoopMetricsRegistry());
    private final WorkerHttp http = new WorkerHttp(Duration.ofSeconds(5));
    private final List<HttpServer> engines = new ArrayList<>();
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        http.close();
        engines.forEach(engine -> engine.stop(0));
    }

    private void engine(int status, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            seen.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("authorization"));
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        engines.add(server);
        WorkerSpec spec = WorkerSpec.of(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
        registry.setStatus(registry.add(spec), WorkerStatus.READY, "");
    }

    private ControlResponse call(boolean passesClientKey, String method, String path, String query) {
        StoredResponseRoutes routes = new StoredResponseRoutes(registry, http, passesClientKey);
        ControlRoute route = Objects.requireNonNull(routes.route(path));
        assertThat(route.methods()).contains(method);
        return route.handle(
                        new ControlRequest(method, path, query, Map.of("authorization", "Bearer client"), new byte[0]))
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/responses/resp_1, true",
        "/v1/responses/resp_1/cancel, true",
        "/v1/responses/resp_1/input_items, true",
        "/v1/responses/, false",
        "/v1/responses//cancel, false",
        "/v1/responses/resp_1/other, false",
        "/v1/responses/resp_1/cancel/x, false",
        "/v1/models/resp_1, false"
    })
    void route_byPath(String path, boolean served) {
        assertThat(new StoredResponseRoutes(registry, http, true).route(path) != null)
                .isEqualTo(served);
    }

    @Test
    void get_oneEngineKnowsIt_itsAnswer() throws IOException {
        engine(404, "{\"who\":1}");
        engine(200, "{\"who\":2}");
        engine(404, "{\"who\":3}");
        ControlResponse answer = call(true, "GET", "/v1/responses/resp_1", "include=x");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo("{\"who\":2}");
        assertThat(seen)
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).isEqualTo("GET /v1/responses/resp_1?include=x Bearer client"));
    }

    @Test
    void get_noEngineKnowsIt_theEnginesOwnRefusal() throws IOException {
        engine(404, "{\"error\":\"no such response\"}");
        ControlResponse answer = call(false, "GET", "/v1/responses/resp_1", "");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(seen).containsExactly("GET /v1/responses/resp_1 null");
    }

    @Test
    void cancel_goesOutAsPost() throws IOException {
        engine(200, "{}");
        assertThat(call(false, "POST", "/v1/responses/resp_1/cancel", "").status())
                .isEqualTo(200);
        assertThat(seen).containsExactly("POST /v1/responses/resp_1/cancel null");
    }

    @Test
    void get_noWorkerReady_503() {
        assertThatThrownBy(() -> call(true, "GET", "/v1/responses/resp_1", ""))
                .hasRootCauseInstanceOf(GatewayException.class)
                .rootCause()
                .extracting(e -> ((GatewayException) e).code())
                .isEqualTo(ErrorCode.NO_AVAILABLE_WORKERS);
    }
}
