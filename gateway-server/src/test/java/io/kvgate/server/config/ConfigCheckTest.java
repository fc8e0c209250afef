package io.kvgate.server.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.policies.PolicySettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the records refuse when they are made in code. */
final class ConfigCheckTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration NEGATIVE = Duration.ofSeconds(-1);

    private static Arguments row(String message, ThrowingCallable call) {
        return Arguments.of(message, call);
    }

    private static ListenConfig listen(int port, long payload, Duration idle) {
        return new ListenConfig("h", port, payload, 1, 1, idle, 0, ListenConfig.TransportChoice.NIO, 0);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                row("port: 65536 (expected: 0 to 65535)", () -> listen(65_536, 1, SECOND)),
                row("maxPayloadBytes: 0 (expected: 1 or more)", () -> listen(1, 0, SECOND)),
                row("idleTimeout: PT0S (expected: above 0)", () -> listen(1, 1, Duration.ZERO)),
                row("host: \" \" (expected: not blank)", () -> new MetricsConfig(" ", 1, List.of())),
                row(
                        "durationBuckets: [1.0, 1.0] (expected: above 0, ascending)",
                        () -> new MetricsConfig("h", 1, List.of(1.0, 1.0))),
                row(
                        "durationBuckets: [NaN] (expected: above 0, ascending)",
                        () -> new MetricsConfig("h", 1, List.of(Double.NaN))),
                row("startupTimeout: PT-1S (expected: above 0)", () -> new RegistrationConfig(NEGATIVE, SECOND)),
                row(
                        "policy: \"\" (expected: not blank)",
                        () -> new RoutingConfig("", PolicySettings.DEFAULT, RoutingConfig.ModelRouting.ANY)),
                row("total: PT-1S (expected: 0 or more)", () -> new TimeoutConfig(SECOND, SECOND, SECOND, NEGATIVE)),
                row("maxIdle: -1 (expected: 0 or more)", () -> new PoolConfig(SECOND, -1)),
                row("queueSize: -1 (expected: 0 or more)", () -> new AdmissionConfig(1, -1, SECOND, 0, 0)),
                row(
                        "tokensPerSecond: NaN (expected: finite, 0 or more)",
                        () -> new AdmissionConfig(1, 1, SECOND, Double.NaN, 0)),
                row("grace: PT-1S (expected: 0 or more)", () -> new ShutdownConfig(SECOND, NEGATIVE)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void record_badComponent_isRefused(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
