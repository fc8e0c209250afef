package io.kvgate.server.config;

import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.resilience.RetryPolicy;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.WorkerSpec;
import java.util.List;

/**
 * Everything a gateway is started with. Immutable; made once by the command line, or by a test.
 *
 * @param listen the main listener
 * @param metrics the Prometheus listener
 * @param staticWorkers from {@code --worker-urls}, in order, without duplicates
 * @param registration how workers are taken in
 * @param routing policies and model matching
 * @param timeouts limits of one upstream exchange
 * @param pool kept upstream connections
 * @param retry attempts and pauses
 * @param breaker per-worker circuit breakers
 * @param health probe settings of workers that bring none of their own
 * @param admission limits before any work is done
 * @param auth keys
 * @param headers request ids, what is not passed on, CORS
 * @param shutdown how the gateway ends
 * @param log where and how it logs
 */
public record GatewayConfig(
        ListenConfig listen,
        MetricsConfig metrics,
        List<WorkerSpec> staticWorkers,
        RegistrationConfig registration,
        RoutingConfig routing,
        TimeoutConfig timeouts,
        PoolConfig pool,
        RetryPolicy retry,
        CircuitBreakerConfig breaker,
        HealthSettings health,
        AdmissionConfig admission,
        AuthConfig auth,
        HeaderConfig headers,
        ShutdownConfig shutdown,
        LogConfig log) {
    /** What holds when no flag is given. */
    public static final GatewayConfig DEFAULT = new GatewayConfig(
            ListenConfig.DEFAULT,
            MetricsConfig.DEFAULT,
            List.of(),
            RegistrationConfig.DEFAULT,
            RoutingConfig.DEFAULT,
            TimeoutConfig.DEFAULT,
            PoolConfig.DEFAULT,
            RetryPolicy.DEFAULT,
            CircuitBreakerConfig.DEFAULT,
            HealthSettings.DEFAULT,
            AdmissionConfig.DEFAULT,
            AuthConfig.NONE,
            HeaderConfig.DEFAULT,
            ShutdownConfig.DEFAULT,
            LogConfig.DEFAULT);

    public GatewayConfig {
        staticWorkers = List.copyOf(staticWorkers);
    }
}
