package io.kvgate.server.e2e.kit;

import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.resilience.RetryPolicy;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.policies.PolicySettings;
import io.kvgate.server.config.AdmissionConfig;
import io.kvgate.server.config.AuthConfig;
import io.kvgate.server.config.GatewayConfig;
import io.kvgate.server.config.HeaderConfig;
import io.kvgate.server.config.ListenConfig;
import io.kvgate.server.config.LogConfig;
import io.kvgate.server.config.MetricsConfig;
import io.kvgate.server.config.PoolConfig;
import io.kvgate.server.config.RegistrationConfig;
import io.kvgate.server.config.RoutingConfig;
import io.kvgate.server.config.ShutdownConfig;
import io.kvgate.server.config.TimeoutConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A gateway's configuration while a test changes it. It begins with the defaults, except for what tests need: loopback, free
 * ports, two event loops, short pauses between probes and retries, no settle window.
 *
 * <p>Threading: one thread.
 */
public final class ConfigChange {
    public ListenConfig listen = new ListenConfig(
            "127.0.0.1",
            0,
            ListenConfig.DEFAULT.maxPayloadBytes(),
            ListenConfig.DEFAULT.maxHeaderBytes(),
            ListenConfig.DEFAULT.maxRequestLineBytes(),
            ListenConfig.DEFAULT.idleTimeout(),
            0,
            ListenConfig.TransportChoice.valueOf(System.getProperty("kvgate.e2e.transport", "AUTO")),
            2);
    public MetricsConfig metrics = new MetricsConfig("127.0.0.1", 0, MetricsConfig.DEFAULT.durationBuckets());
    public List<WorkerSpec> workers = new ArrayList<>();
    public RegistrationConfig registration = RegistrationConfig.DEFAULT;
    public RoutingConfig routing =
            new RoutingConfig("round_robin", PolicySettings.DEFAULT, RoutingConfig.ModelRouting.MATCH);
    public TimeoutConfig timeouts = TimeoutConfig.DEFAULT;
    public PoolConfig pool = PoolConfig.DEFAULT;
    public RetryPolicy retry = new RetryPolicy(5, 5, 30_000, 1.5, 0.2);
    public CircuitBreakerConfig breaker = CircuitBreakerConfig.DEFAULT;
    public HealthSettings health =
            new HealthSettings("/health", Duration.ofMillis(500), Duration.ofSeconds(2), 3, 2, false);
    public AdmissionConfig admission = AdmissionConfig.DEFAULT;
    public AuthConfig auth = AuthConfig.NONE;
    public HeaderConfig headers = HeaderConfig.DEFAULT;
    public ShutdownConfig shutdown = new ShutdownConfig(Duration.ZERO, Duration.ofSeconds(3));
    public LogConfig log = LogConfig.DEFAULT;

    ConfigChange() {}

    /** One attempt only. */
    public ConfigChange noRetries() {
        retry = new RetryPolicy(1, 5, 30_000, 1.5, 0.2);
        return this;
    }

    public ConfigChange attempts(int attempts) {
        retry = new RetryPolicy(attempts, 5, 30_000, 1.5, 0.2);
        return this;
    }

    public ConfigChange noBreaker() {
        breaker = new CircuitBreakerConfig(10, 3, Duration.ofMinutes(1), Duration.ofMinutes(2), false);
        return this;
    }

    public ConfigChange breaker(int failures, int successes, Duration openFor) {
        breaker = new CircuitBreakerConfig(failures, successes, openFor, Duration.ofMinutes(2), true);
        return this;
    }

    public ConfigChange policy(String name) {
        routing = new RoutingConfig(name, routing.policies(), routing.modelRouting());
        return this;
    }

    public ConfigChange probes(Duration interval, Duration timeout, int failures, int successes) {
        health = new HealthSettings("/health", interval, timeout, failures, successes, false);
        return this;
    }

    public ConfigChange noProbes() {
        health = new HealthSettings("/health", Duration.ofMinutes(1), Duration.ofSeconds(5), 3, 2, true);
        return this;
    }

    /** Limits of an exchange: connect, head, stream idle, total. */
    public ConfigChange timeouts(Duration connect, Duration head, Duration streamIdle, Duration total) {
        timeouts = new TimeoutConfig(connect, head, streamIdle, total);
        return this;
    }

    public ConfigChange concurrency(int max, int queue, Duration queueTimeout) {
        admission = new AdmissionConfig(max, queue, queueTimeout, 0, 0);
        return this;
    }

    public ConfigChange maxPayload(long bytes) {
        ListenConfig old = listen;
        listen = new ListenConfig(
                old.host(),
                old.port(),
                bytes,
                old.maxHeaderBytes(),
                old.maxRequestLineBytes(),
                old.idleTimeout(),
                old.maxConnections(),
                old.transport(),
                old.eventLoops());
        return this;
    }

    public ConfigChange idleTimeout(Duration timeout) {
        ListenConfig old = listen;
        listen = new ListenConfig(
                old.host(),
                old.port(),
                old.maxPayloadBytes(),
                old.maxHeaderBytes(),
                old.maxRequestLineBytes(),
                timeout,
                old.maxConnections(),
                old.transport(),
                old.eventLoops());
        return this;
    }

    public ConfigChange apiKey(String key) {
        auth = new AuthConfig(key, auth.controlPlaneKeys());
        return this;
    }

    public ConfigChange adminKeys(String... keys) {
        auth = new AuthConfig(auth.apiKey(), List.of(keys));
        return this;
    }

    /** The worker of this address wants this key. */
    public ConfigChange workerKey(ScriptedWorker worker, String key) {
        workers.replaceAll(spec -> spec.url().equals(worker.url())
                ? new WorkerSpec(
                        spec.url(),
                        spec.role(),
                        spec.modelId(),
                        key,
                        spec.priority(),
                        spec.cost(),
                        spec.labels(),
                        spec.bootstrapPort(),
                        spec.health())
                : spec);
        return this;
    }

    GatewayConfig build() {
        List<WorkerSpec> probed = workers.stream()
                .map(spec -> new WorkerSpec(
                        spec.url(),
                        spec.role(),
                        spec.modelId(),
                        spec.apiKey(),
                        spec.priority(),
                        spec.cost(),
                        spec.labels(),
                        spec.bootstrapPort(),
                        health))
                .toList();
        return new GatewayConfig(
                listen,
                metrics,
                probed,
                registration,
                routing,
                timeouts,
                pool,
                retry,
                breaker,
                health,
                admission,
                auth,
                headers,
                shutdown,
                log);
    }
}
