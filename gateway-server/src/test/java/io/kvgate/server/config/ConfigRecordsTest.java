package io.kvgate.server.config;

import static io.kvgate.server.config.CommandLines.config;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.resilience.RetryPolicy;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.policies.PolicySettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** For each record: what holds without flags, and that each flag reaches its own component. */
final class ConfigRecordsTest {
    private static final GatewayConfig DEFAULTS = config();

    @Test
    void gatewayConfig_defaults() {
        assertThat(DEFAULTS).isEqualTo(GatewayConfig.DEFAULT);
        assertThat(DEFAULTS.staticWorkers()).isEmpty();
    }

    @Test
    void listenConfig_defaults() {
        ListenConfig listen = DEFAULTS.listen();
        assertThat(listen.host()).isEqualTo("0.0.0.0");
        assertThat(listen.port()).isEqualTo(30_000);
        assertThat(listen.maxPayloadBytes()).isEqualTo(536_870_912L);
        assertThat(listen.maxHeaderBytes()).isEqualTo(65_536);
        assertThat(listen.maxRequestLineBytes()).isEqualTo(8_192);
        assertThat(listen.idleTimeout()).isEqualTo(Duration.ofSeconds(75));
        assertThat(listen.maxConnections()).isZero();
        assertThat(listen.transport()).isEqualTo(ListenConfig.TransportChoice.AUTO);
        assertThat(listen.eventLoops()).isZero();
    }

    @Test
    void listenConfig_explicit() {
        GatewayConfig config = config(
                "--host",
                "::1",
                "--port",
                "8080",
                "--max-payload-size",
                "1000",
                "--max-header-size",
                "2048",
                "--max-request-line-size",
                "4096",
                "--client-idle-timeout-secs",
                "1.5",
                "--max-connections",
                "7",
                "--transport",
                "io_uring",
                "--event-loops",
                "3");
        assertThat(config.listen())
                .isEqualTo(new ListenConfig(
                        "::1",
                        8_080,
                        1_000,
                        2_048,
                        4_096,
                        Duration.ofMillis(1_500),
                        7,
                        ListenConfig.TransportChoice.IO_URING,
                        3));
    }

    @Test
    void metricsConfig_defaults() {
        assertThat(DEFAULTS.metrics().host()).isEqualTo("0.0.0.0");
        assertThat(DEFAULTS.metrics().port()).isEqualTo(29_000);
        assertThat(DEFAULTS.metrics().durationBuckets())
                .startsWith(0.001)
                .endsWith(3_600.0)
                .hasSize(24);
    }

    @Test
    void metricsConfig_explicit() {
        GatewayConfig config = config(
                "--prometheus-host",
                "127.0.0.1",
                "--prometheus-port",
                "0",
                "--prometheus-duration-buckets",
                "0.5",
                "1,2");
        assertThat(config.metrics()).isEqualTo(new MetricsConfig("127.0.0.1", 0, List.of(0.5, 1.0, 2.0)));
    }

    @Test
    void registrationConfig_defaults() {
        assertThat(DEFAULTS.registration())
                .isEqualTo(new RegistrationConfig(Duration.ofSeconds(1_800), Duration.ofSeconds(30)));
    }

    @Test
    void registrationConfig_explicit() {
        assertThat(config("--worker-startup-timeout-secs", "60", "--worker-startup-check-interval", "0.25")
                        .registration())
                .isEqualTo(new RegistrationConfig(Duration.ofSeconds(60), Duration.ofMillis(250)));
    }

    @Test
    void routingConfig_defaults() {
        assertThat(DEFAULTS.routing())
                .isEqualTo(new RoutingConfig("cache_aware", PolicySettings.DEFAULT, RoutingConfig.ModelRouting.MATCH));
    }

    @Test
    void routingConfig_explicit() {
        assertThat(config("--policy", "Round_Robin", "--model-routing", "any").routing())
                .isEqualTo(new RoutingConfig("round_robin", PolicySettings.DEFAULT, RoutingConfig.ModelRouting.ANY));
    }

    @Test
    void timeoutConfig_defaults() {
        assertThat(DEFAULTS.timeouts())
                .isEqualTo(new TimeoutConfig(
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1_800),
                        Duration.ofSeconds(600),
                        Duration.ofSeconds(1_800)));
    }

    @Test
    void timeoutConfig_explicit() {
        GatewayConfig config = config(
                "--connect-timeout-secs",
                "0.5",
                "--response-head-timeout-secs",
                "0",
                "--stream-idle-timeout-secs",
                "3",
                "--request-timeout-secs",
                "4");
        assertThat(config.timeouts())
                .isEqualTo(new TimeoutConfig(
                        Duration.ofMillis(500), Duration.ZERO, Duration.ofSeconds(3), Duration.ofSeconds(4)));
    }

    @Test
    void poolConfig_defaults() {
        assertThat(DEFAULTS.pool()).isEqualTo(new PoolConfig(Duration.ofSeconds(4), 256));
    }

    @Test
    void poolConfig_explicit() {
        assertThat(config("--upstream-idle-timeout-secs", "2", "--upstream-max-idle", "0")
                        .pool())
                .isEqualTo(new PoolConfig(Duration.ofSeconds(2), 0));
    }

    @Test
    void retryPolicy_defaults() {
        assertThat(DEFAULTS.retry()).isEqualTo(new RetryPolicy(5, 50, 30_000, 1.5, 0.2));
    }

    @Test
    void retryPolicy_explicit() {
        GatewayConfig config = config(
                "--retry-max-retries",
                "2",
                "--retry-initial-backoff-ms",
                "10",
                "--retry-max-backoff-ms",
                "20",
                "--retry-backoff-multiplier",
                "3",
                "--retry-jitter-factor",
                "0.5");
        assertThat(config.retry()).isEqualTo(new RetryPolicy(2, 10, 20, 3, 0.5));
    }

    @Test
    void retryPolicy_disabled() {
        assertThat(config("--disable-retries").retry().maxAttempts()).isEqualTo(1);
    }

    @Test
    void breakerConfig_defaults() {
        assertThat(DEFAULTS.breaker())
                .isEqualTo(new CircuitBreakerConfig(10, 3, Duration.ofSeconds(60), Duration.ofSeconds(120), true));
    }

    @Test
    void breakerConfig_explicit() {
        GatewayConfig config = config(
                "--cb-failure-threshold",
                "4",
                "--cb-success-threshold",
                "2",
                "--cb-timeout-duration-secs",
                "5",
                "--cb-window-duration-secs",
                "6");
        assertThat(config.breaker())
                .isEqualTo(new CircuitBreakerConfig(4, 2, Duration.ofSeconds(5), Duration.ofSeconds(6), true));
    }

    @Test
    void breakerConfig_disabled() {
        assertThat(config("--disable-circuit-breaker").breaker().enabled()).isFalse();
    }

    @Test
    void healthSettings_defaults() {
        assertThat(DEFAULTS.health())
                .isEqualTo(new HealthSettings("/health", Duration.ofSeconds(60), Duration.ofSeconds(5), 3, 2, false));
    }

    @Test
    void healthSettings_explicit() {
        GatewayConfig config = config(
                "--health-failure-threshold",
                "5",
                "--health-success-threshold",
                "4",
                "--health-check-timeout-secs",
                "0.1",
                "--health-check-interval-secs",
                "0.2",
                "--health-check-endpoint",
                "/ping?x=1",
                "--worker-urls",
                "http://w:1");
        HealthSettings expected =
                new HealthSettings("/ping?x=1", Duration.ofMillis(200), Duration.ofMillis(100), 5, 4, false);
        assertThat(config.health()).isEqualTo(expected);
        assertThat(config.staticWorkers().get(0).health()).isEqualTo(expected);
    }

    @Test
    void healthSettings_disabled() {
        assertThat(config("--disable-health-check").health().disabled()).isTrue();
    }

    @Test
    void admissionConfig_defaults() {
        assertThat(DEFAULTS.admission()).isEqualTo(new AdmissionConfig(-1, 100, Duration.ofSeconds(60), 0, 0));
    }

    @Test
    void admissionConfig_explicit() {
        GatewayConfig config = config(
                "--max-concurrent-requests",
                "8",
                "--queue-size",
                "9",
                "--queue-timeout-secs",
                "0.5",
                "--rate-limit-tokens-per-second",
                "2.5",
                "--max-buffered-body-bytes",
                "600000000");
        assertThat(config.admission()).isEqualTo(new AdmissionConfig(8, 9, Duration.ofMillis(500), 2.5, 600_000_000));
    }

    @Test
    void authConfig_defaults() {
        assertThat(DEFAULTS.auth()).isEqualTo(new AuthConfig(null, List.of()));
    }

    @Test
    void authConfig_explicit() {
        GatewayConfig config = config(
                "--api-key",
                "k1",
                "--control-plane-api-keys",
                "a:Ann:admin:s3:cret",
                "b:Bob:user:other",
                "--worker-urls",
                "http://w:1");
        assertThat(config.auth()).isEqualTo(new AuthConfig("k1", List.of("s3:cret")));
        assertThat(config.staticWorkers().get(0).apiKey()).isEqualTo("k1");
    }

    @Test
    void headerConfig_defaults() {
        assertThat(DEFAULTS.headers())
                .isEqualTo(new HeaderConfig(
                        List.of("x-request-id", "x-correlation-id", "x-trace-id", "request-id"),
                        List.of("cookie"),
                        List.of()));
    }

    @Test
    void headerConfig_explicit() {
        GatewayConfig config = config(
                "--request-id-headers",
                "X-Id",
                "X-Other",
                "--denied-request-headers",
                "Cookie,X-Secret",
                "--cors-allowed-origins",
                "https://a.example",
                "--cors-allowed-origins=http://localhost:3000");
        assertThat(config.headers())
                .isEqualTo(new HeaderConfig(
                        List.of("x-id", "x-other"),
                        List.of("cookie", "x-secret"),
                        List.of("https://a.example", "http://localhost:3000")));
    }

    @Test
    void headerConfig_deniedHeadersWithoutValue() {
        assertThat(config("--denied-request-headers").headers().deniedRequestHeaders())
                .isEmpty();
    }

    @Test
    void shutdownConfig_defaults() {
        assertThat(DEFAULTS.shutdown()).isEqualTo(new ShutdownConfig(Duration.ofSeconds(5), Duration.ofSeconds(180)));
    }

    @Test
    void shutdownConfig_explicit() {
        assertThat(config("--drain-settle-secs", "0", "--shutdown-grace-period-secs", "2.5")
                        .shutdown())
                .isEqualTo(new ShutdownConfig(Duration.ZERO, Duration.ofMillis(2_500)));
    }

    @Test
    void logConfig_defaults() {
        assertThat(DEFAULTS.log()).isEqualTo(new LogConfig(LogConfig.Level.INFO, null, false, true));
    }

    @Test
    void logConfig_explicit(@TempDir Path dir) {
        Path logs = dir.resolve("not/there/yet");
        GatewayConfig config =
                config("--log-level", "WARN", "--log-dir", logs.toString(), "--json-log", "--disable-access-log");
        assertThat(config.log()).isEqualTo(new LogConfig(LogConfig.Level.WARN, logs, true, false));
    }
}
