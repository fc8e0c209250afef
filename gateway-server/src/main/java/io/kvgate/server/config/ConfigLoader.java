package io.kvgate.server.config;

import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.resilience.RetryPolicy;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.WorkerSpec;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The command line's way to a {@link GatewayConfig}. Everything that is wrong is found in one pass and listed together, each
 * line as {@code flag: value (expected: …)}.
 *
 * <p>Threading: immutable.
 */
public final class ConfigLoader {
    /** Policies that may be asked for before they exist. */
    private static final Set<String> LATER_POLICIES = Set.of("kv_aware");

    private final Set<String> policies;
    private final String versionText;

    /**
     * @param policies canonical names that {@code --policy} may take
     * @param versionText what {@code --version} prints, without line end
     */
    public ConfigLoader(Set<String> policies, String versionText) {
        this.policies = new TreeSet<>(policies);
        this.versionText = versionText;
    }

    /** What the arguments ask for. Help and version win over anything that is wrong beside them. */
    public CommandLineOutcome load(List<String> arguments) {
        List<String> problems = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        CommandLineParser.Given given = new CommandLineParser(problems, notes).parse(arguments);
        if (given.help()) {
            return new CommandLineOutcome.Print(HelpText.render(policies));
        }
        if (given.version()) {
            return new CommandLineOutcome.Print(versionText + "\n");
        }
        FlagReader in = new FlagReader(given.flags(), problems, notes);
        checkBackends(given.backends(), in);
        GatewayConfig config = read(in);
        if (!problems.isEmpty()) {
            return new CommandLineOutcome.Refuse(problems);
        }
        return new CommandLineOutcome.Start(config, effective(config), notes);
    }

    /** {@code flag=value} of every flag, without secrets. */
    static List<String> effective(GatewayConfig config) {
        return CliOptions.ALL.stream()
                .map(flag -> flag.name() + "=" + flag.effective().apply(config))
                .toList();
    }

    private GatewayConfig read(FlagReader in) {
        HealthSettings health = health(in);
        AuthConfig auth = new AuthConfig(apiKey(in), ControlKeys.read(in));
        ListenConfig listen = listen(in);
        MetricsConfig metrics = metrics(in, listen);
        AdmissionConfig admission = admission(in, listen);
        if (auth.apiKey() == null && auth.controlPlaneKeys().isEmpty() && !HostName.isLoopback(listen.host())) {
            in.note(MoreOptions.API_KEY.name() + ": none set, and " + listen.host()
                    + " can be reached from other machines: anyone may send requests and change workers");
        }
        if (auth.apiKey() != null && in.given(CliOptions.WORKER_URLS)) {
            in.note(MoreOptions.API_KEY.name() + ": is also sent to the workers of " + CliOptions.WORKER_URLS.name());
        }
        List<WorkerSpec> workers = StaticWorkers.read(in, auth.apiKey(), health);
        RegistrationConfig registration = new RegistrationConfig(
                in.one(CliOptions.WORKER_STARTUP_TIMEOUT, RegistrationConfig.DEFAULT.startupTimeout()),
                in.one(CliOptions.LOAD_POLL_INTERVAL, RegistrationConfig.DEFAULT.loadPollInterval()));
        String policy = policy(in);
        PolicyOptions.checkWorkers(in, policy, workers);
        return new GatewayConfig(
                listen,
                metrics,
                workers,
                registration,
                new RoutingConfig(
                        policy,
                        PolicyOptions.read(in, policy, registration.loadPollInterval()),
                        in.one(CliOptions.MODEL_ROUTING, RoutingConfig.DEFAULT.modelRouting())),
                timeouts(in),
                new PoolConfig(
                        in.one(CliOptions.UPSTREAM_IDLE_TIMEOUT, PoolConfig.DEFAULT.idleTimeout()),
                        in.one(CliOptions.UPSTREAM_MAX_IDLE, PoolConfig.DEFAULT.maxIdle())),
                retry(in),
                breaker(in),
                health,
                admission,
                auth,
                headers(in),
                new ShutdownConfig(
                        in.one(MoreOptions.DRAIN_SETTLE, ShutdownConfig.DEFAULT.settle()),
                        in.one(MoreOptions.SHUTDOWN_GRACE, ShutdownConfig.DEFAULT.grace())),
                log(in));
    }

    private static void checkBackends(List<String> backends, FlagReader in) {
        String name = CommandLineParser.BACKEND.get(0);
        for (String backend : backends) {
            String value = backend.toLowerCase(Locale.ROOT);
            if (value.equals("sglang") || value.equals("vllm")) {
                in.note(name + ": no effect, each worker is asked what it is");
            } else {
                in.problem(name + ": " + FlagReader.shown(backend)
                        + " (expected: sglang or vllm; other back ends are not offered)");
            }
        }
    }

    private static ListenConfig listen(FlagReader in) {
        ListenConfig defaults = ListenConfig.DEFAULT;
        return new ListenConfig(
                in.one(CliOptions.HOST, defaults.host()),
                in.one(CliOptions.PORT, defaults.port()),
                in.one(CliOptions.MAX_PAYLOAD_SIZE, defaults.maxPayloadBytes()),
                in.one(CliOptions.MAX_HEADER_SIZE, defaults.maxHeaderBytes()),
                in.one(CliOptions.MAX_REQUEST_LINE_SIZE, defaults.maxRequestLineBytes()),
                in.one(CliOptions.CLIENT_IDLE_TIMEOUT, defaults.idleTimeout()),
                in.one(CliOptions.MAX_CONNECTIONS, defaults.maxConnections()),
                in.one(CliOptions.TRANSPORT, defaults.transport()),
                in.one(CliOptions.EVENT_LOOPS, defaults.eventLoops()));
    }

    private static MetricsConfig metrics(FlagReader in, ListenConfig listen) {
        String host = in.one(MoreOptions.PROMETHEUS_HOST, MetricsConfig.DEFAULT.host());
        int port = in.one(MoreOptions.PROMETHEUS_PORT, MetricsConfig.DEFAULT.port());
        boolean sameAddress =
                host.equalsIgnoreCase(listen.host()) || HostName.isWildcard(host) || HostName.isWildcard(listen.host());
        if (port != 0 && port == listen.port() && sameAddress) {
            in.problem(MoreOptions.PROMETHEUS_PORT.name() + ": " + port + " (expected: another port than "
                    + CliOptions.PORT.name() + ")");
        }
        List<Double> buckets =
                in.many(MoreOptions.PROMETHEUS_DURATION_BUCKETS, MetricsConfig.DEFAULT.durationBuckets());
        boolean ascending = !buckets.isEmpty();
        for (int i = 1; i < buckets.size(); i++) {
            ascending &= buckets.get(i - 1) < buckets.get(i);
        }
        if (!ascending && !in.isWrong(MoreOptions.PROMETHEUS_DURATION_BUCKETS)) {
            in.problem(MoreOptions.PROMETHEUS_DURATION_BUCKETS.name() + ": " + buckets
                    + " (expected: at least one number, each above the one before)");
        }
        return new MetricsConfig(host, port, ascending ? buckets : MetricsConfig.DEFAULT.durationBuckets());
    }

    private static TimeoutConfig timeouts(FlagReader in) {
        TimeoutConfig defaults = TimeoutConfig.DEFAULT;
        TimeoutConfig timeouts = new TimeoutConfig(
                in.one(CliOptions.CONNECT_TIMEOUT, defaults.connect()),
                in.one(CliOptions.RESPONSE_HEAD_TIMEOUT, defaults.head()),
                in.one(CliOptions.STREAM_IDLE_TIMEOUT, defaults.streamIdle()),
                in.one(CliOptions.REQUEST_TIMEOUT, defaults.total()));
        Duration total = timeouts.total();
        if (!total.isZero()) {
            String why = "as " + CliOptions.REQUEST_TIMEOUT.name() + " ends the request first";
            noteIfLonger(in, CliOptions.CONNECT_TIMEOUT, timeouts.connect(), total, why);
            noteIfLonger(in, CliOptions.RESPONSE_HEAD_TIMEOUT, timeouts.head(), total, why);
            noteIfLonger(in, CliOptions.STREAM_IDLE_TIMEOUT, timeouts.streamIdle(), total, why);
        }
        return timeouts;
    }

    private static void noteIfLonger(FlagReader in, Flag<Duration> flag, Duration value, Duration limit, String why) {
        if (value.compareTo(limit) > 0) {
            in.noEffect(Set.of(flag), why);
        }
    }

    private static RetryPolicy retry(FlagReader in) {
        RetryPolicy defaults = RetryPolicy.DEFAULT;
        int attempts = in.one(CliOptions.RETRY_MAX_RETRIES, defaults.maxAttempts());
        long initial = in.one(CliOptions.RETRY_INITIAL_BACKOFF, defaults.initialBackoffMillis());
        long max = in.one(CliOptions.RETRY_MAX_BACKOFF, defaults.maxBackoffMillis());
        double multiplier = in.one(CliOptions.RETRY_MULTIPLIER, defaults.multiplier());
        double jitter = in.one(CliOptions.RETRY_JITTER, defaults.jitterFactor());
        if (max < initial) {
            in.problem(CliOptions.RETRY_MAX_BACKOFF.name() + ": " + max + " (expected: at least "
                    + CliOptions.RETRY_INITIAL_BACKOFF.name() + ", which is " + initial + ")");
            return defaults;
        }
        if (in.on(CliOptions.DISABLE_RETRIES)) {
            in.noEffect(
                    Set.of(
                            CliOptions.RETRY_MAX_RETRIES,
                            CliOptions.RETRY_INITIAL_BACKOFF,
                            CliOptions.RETRY_MAX_BACKOFF,
                            CliOptions.RETRY_MULTIPLIER,
                            CliOptions.RETRY_JITTER),
                    "with " + CliOptions.DISABLE_RETRIES.name());
            attempts = 1;
        }
        return new RetryPolicy(attempts, initial, max, multiplier, jitter);
    }

    private static CircuitBreakerConfig breaker(FlagReader in) {
        CircuitBreakerConfig defaults = CircuitBreakerConfig.DEFAULT;
        boolean disabled = in.on(CliOptions.DISABLE_CIRCUIT_BREAKER);
        if (disabled) {
            in.noEffect(
                    Set.of(
                            CliOptions.CB_FAILURE_THRESHOLD,
                            CliOptions.CB_SUCCESS_THRESHOLD,
                            CliOptions.CB_TIMEOUT,
                            CliOptions.CB_WINDOW),
                    "with " + CliOptions.DISABLE_CIRCUIT_BREAKER.name());
        }
        return new CircuitBreakerConfig(
                in.one(CliOptions.CB_FAILURE_THRESHOLD, defaults.failureThreshold()),
                in.one(CliOptions.CB_SUCCESS_THRESHOLD, defaults.successThreshold()),
                in.one(CliOptions.CB_TIMEOUT, defaults.openFor()),
                in.one(CliOptions.CB_WINDOW, defaults.window()),
                !disabled);
    }

    private static HealthSettings health(FlagReader in) {
        HealthSettings defaults = HealthSettings.DEFAULT;
        boolean disabled = in.on(MoreOptions.DISABLE_HEALTH_CHECK);
        if (disabled) {
            in.noEffect(
                    Set.of(
                            MoreOptions.HEALTH_CHECK_ENDPOINT,
                            MoreOptions.HEALTH_CHECK_INTERVAL,
                            MoreOptions.HEALTH_CHECK_TIMEOUT,
                            MoreOptions.HEALTH_FAILURE_THRESHOLD,
                            MoreOptions.HEALTH_SUCCESS_THRESHOLD),
                    "with " + MoreOptions.DISABLE_HEALTH_CHECK.name());
        }
        return new HealthSettings(
                in.one(MoreOptions.HEALTH_CHECK_ENDPOINT, defaults.endpoint()),
                in.one(MoreOptions.HEALTH_CHECK_INTERVAL, defaults.interval()),
                in.one(MoreOptions.HEALTH_CHECK_TIMEOUT, defaults.timeout()),
                in.one(MoreOptions.HEALTH_FAILURE_THRESHOLD, defaults.failureThreshold()),
                in.one(MoreOptions.HEALTH_SUCCESS_THRESHOLD, defaults.successThreshold()),
                disabled);
    }

    private static AdmissionConfig admission(FlagReader in, ListenConfig listen) {
        AdmissionConfig defaults = AdmissionConfig.DEFAULT;
        int concurrent = in.one(MoreOptions.MAX_CONCURRENT_REQUESTS, defaults.maxConcurrentRequests());
        int queueSize = in.one(MoreOptions.QUEUE_SIZE, defaults.queueSize());
        Duration queueTimeout = in.one(MoreOptions.QUEUE_TIMEOUT, defaults.queueTimeout());
        if (concurrent <= 0) {
            in.noEffect(
                    Set.of(MoreOptions.QUEUE_SIZE, MoreOptions.QUEUE_TIMEOUT),
                    "without " + MoreOptions.MAX_CONCURRENT_REQUESTS.name());
        }
        if (queueSize > 0 && queueTimeout.isZero()) {
            in.problem(MoreOptions.QUEUE_TIMEOUT.name() + ": 0 (expected: above 0 as " + MoreOptions.QUEUE_SIZE.name()
                    + " is " + queueSize + ")");
        }
        long buffered = in.one(MoreOptions.MAX_BUFFERED_BODY_BYTES, defaults.maxBufferedBodyBytes());
        if (buffered > 0 && buffered < listen.maxPayloadBytes()) {
            in.note(MoreOptions.MAX_BUFFERED_BODY_BYTES.name() + ": " + buffered + " is below "
                    + CliOptions.MAX_PAYLOAD_SIZE.name() + ", so larger bodies are answered 503");
        }
        return new AdmissionConfig(
                concurrent,
                queueSize,
                queueTimeout,
                in.one(MoreOptions.RATE_LIMIT, defaults.tokensPerSecond()),
                buffered);
    }

    private static HeaderConfig headers(FlagReader in) {
        HeaderConfig defaults = HeaderConfig.DEFAULT;
        List<String> idHeaders = in.many(MoreOptions.REQUEST_ID_HEADERS, defaults.requestIdHeaders());
        if (idHeaders.isEmpty() && !in.isWrong(MoreOptions.REQUEST_ID_HEADERS)) {
            in.problem(MoreOptions.REQUEST_ID_HEADERS.name() + ": no value (expected: at least one header name)");
        }
        List<String> denied = in.many(MoreOptions.DENIED_REQUEST_HEADERS, defaults.deniedRequestHeaders());
        for (String framing : List.of("content-length", "transfer-encoding", "host")) {
            if (denied.contains(framing)) {
                in.problem(MoreOptions.DENIED_REQUEST_HEADERS.name() + ": " + framing
                        + " (expected: a header that a request can do without)");
            }
        }
        return new HeaderConfig(
                idHeaders.stream().distinct().toList(),
                denied.stream().distinct().toList(),
                in.many(MoreOptions.CORS_ALLOWED_ORIGINS, defaults.corsAllowedOrigins()).stream()
                        .distinct()
                        .toList());
    }

    private static @Nullable String apiKey(FlagReader in) {
        return in.given(MoreOptions.API_KEY) ? in.one(MoreOptions.API_KEY, "") : null;
    }

    private String policy(FlagReader in) {
        String given = in.one(CliOptions.POLICY, RoutingConfig.DEFAULT.policy());
        for (String policy : policies) {
            if (isName(given, policy)) {
                return policy;
            }
        }
        boolean later = LATER_POLICIES.stream().anyMatch(policy -> isName(given, policy));
        in.problem(CliOptions.POLICY.name() + ": " + FlagReader.shown(given) + (later ? ", which is not there yet" : "")
                + " (expected: " + String.join(", ", policies) + ")");
        return RoutingConfig.DEFAULT.policy();
    }

    /** Names are taken in any case, and without their underscores too. */
    private static boolean isName(String given, String policy) {
        String name = given.toLowerCase(Locale.ROOT);
        return name.equals(policy) || name.equals(policy.replace("_", ""));
    }

    private static LogConfig log(FlagReader in) {
        @Nullable Path dir = in.given(MoreOptions.LOG_DIR) ? in.one(MoreOptions.LOG_DIR, Path.of("")) : null;
        if (dir != null && !dir.toString().isEmpty()) {
            checkDirectory(in, dir);
        }
        return new LogConfig(
                in.one(MoreOptions.LOG_LEVEL, LogConfig.DEFAULT.level()),
                dir,
                in.on(MoreOptions.JSON_LOG),
                !in.on(MoreOptions.DISABLE_ACCESS_LOG));
    }

    /** The directory, or the nearest ancestor that is there, must be a directory that can be written. */
    private static void checkDirectory(FlagReader in, Path dir) {
        File existing = dir.toAbsolutePath().toFile();
        while (existing != null && !existing.exists()) {
            existing = existing.getParentFile();
        }
        if (existing == null || !existing.isDirectory() || !Files.isWritable(existing.toPath())) {
            in.problem(MoreOptions.LOG_DIR.name() + ": " + FlagReader.shown(dir.toString())
                    + " (expected: a directory that can be written or made)");
        }
    }
}
