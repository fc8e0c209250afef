package io.kvgate.server.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.server.config.MetricsConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MetricsServerTest {
    private final MetricsConfig config = new MetricsConfig("127.0.0.1", 0, List.of(1.0));
    private final PrometheusMetricsRegistry registry = new PrometheusMetricsRegistry(config);
    private final HttpClient client = HttpClient.newHttpClient();
    private MetricsServer server;

    @BeforeEach
    void start() throws IOException {
        server = MetricsServer.start(config, registry);
    }

    @AfterEach
    void close() {
        server.close();
        server.close();
        registry.close();
    }

    private HttpResponse<String> send(String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void get_metrics_answersThePage() throws Exception {
        registry.counter(GatewayMeter.HTTP_RATE_LIMIT, "allowed").increment();
        HttpResponse<String> response = send("GET", "/metrics?name=x");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("text/plain; version=0.0.4; charset=utf-8");
        assertThat(response.body()).contains("smg_http_rate_limit_total{result=\"allowed\",} 1.0\n");
    }

    @Test
    void head_metrics_answersWithoutBody() throws Exception {
        HttpResponse<String> response = send("HEAD", "/metrics");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
        assertThat(send("GET", "/metrics").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/metrics/", "/metricsx", "/health", "/metrics/x"})
    void get_otherPath_is404(String path) throws Exception {
        assertThat(send("GET", path).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE"})
    void otherMethod_is405WithAllow(String method) throws Exception {
        HttpResponse<String> response = send(method, "/metrics");
        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("allow")).hasValue("GET, HEAD");
    }

    @Test
    void start_portInUse_namesFlagsAddressAndReason() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            MetricsConfig same = new MetricsConfig("127.0.0.1", taken.getLocalPort(), List.of(1.0));
            assertThatThrownBy(() -> MetricsServer.start(same, registry))
                    .isInstanceOf(IOException.class)
                    .hasMessage("--prometheus-host/--prometheus-port: 127.0.0.1:" + taken.getLocalPort()
                            + " (expected: an address that can be bound): Address already in use");
        }
    }

    @Test
    void start_unknownHost_namesFlags() {
        MetricsConfig unknown = new MetricsConfig("no-such-host.invalid", 0, List.of(1.0));
        assertThatThrownBy(() -> MetricsServer.start(unknown, registry))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("--prometheus-host/--prometheus-port: no-such-host.invalid:0")
                .hasMessageEndingWith("no such host");
    }

    @Test
    void threads_areDaemons() throws Exception {
        assertThat(send("GET", "/metrics").statusCode()).isEqualTo(200);
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("kvgate-metrics-")
                                || thread.getName().startsWith("HTTP-Dispatcher")))
                .isNotEmpty()
                .allMatch(Thread::isDaemon);
    }
}
