package io.kvgate.server.config;

import static io.kvgate.server.config.ValueType.text;

import io.kvgate.server.config.ListenConfig.TransportChoice;
import io.kvgate.server.config.RoutingConfig.ModelRouting;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The flags that shape a {@link GatewayConfig}: the one definition from which parsing, help and the documentation derive.
 * Spelled as the reference spells them; where its two launchers differ, both spellings are taken. {@link PolicyOptions} and
 * {@link MoreOptions} hold the rest.
 */
final class CliOptions {
    private static final String LIST_NOTE = " Separated by spaces or commas; repeatable.";
    private static final String ZERO_IS_OFF = " 0 turns the limit off.";

    static final Flag<String> HOST =
            Flag.one(FlagGroup.LISTENER, ValueType.HOST, c -> c.listen().host(), "Address to listen on.", "--host");

    static final Flag<Integer> PORT = Flag.one(
            FlagGroup.LISTENER,
            ValueType.integer(0, 65_535),
            c -> "" + c.listen().port(),
            "Port to listen on; 0 takes a free one.",
            "--port");

    static final Flag<Long> MAX_PAYLOAD_SIZE = Flag.one(
            FlagGroup.LISTENER,
            ValueType.bytes(1, Long.MAX_VALUE),
            c -> "" + c.listen().maxPayloadBytes(),
            "Largest request body; larger ones are answered 413.",
            "--max-payload-size");

    static final Flag<Integer> MAX_HEADER_SIZE = Flag.one(
            FlagGroup.LISTENER,
            ValueType.integer(1_024, 16_777_216),
            c -> "" + c.listen().maxHeaderBytes(),
            "Bytes of the largest header block of a request (431 above it) or of a worker's response (502).",
            "--max-header-size");

    static final Flag<Integer> MAX_REQUEST_LINE_SIZE = Flag.one(
            FlagGroup.LISTENER,
            ValueType.integer(256, 1_048_576),
            c -> "" + c.listen().maxRequestLineBytes(),
            "Bytes of the longest request line; longer ones are answered 414.",
            "--max-request-line-size");

    static final Flag<Duration> CLIENT_IDLE_TIMEOUT = Flag.one(
            FlagGroup.LISTENER,
            ValueType.SECONDS,
            c -> text(c.listen().idleTimeout()),
            "How long a client connection may be idle between requests, and a request may stall while it is sent.",
            "--client-idle-timeout-secs");

    static final Flag<Integer> MAX_CONNECTIONS = Flag.one(
            FlagGroup.LISTENER,
            ValueType.integer(0, Integer.MAX_VALUE),
            c -> "" + c.listen().maxConnections(),
            "Client connections at once." + ZERO_IS_OFF,
            "--max-connections");

    static final Flag<TransportChoice> TRANSPORT = Flag.one(
            FlagGroup.LISTENER,
            ValueType.choice(TransportChoice.values()),
            c -> text(c.listen().transport()),
            "How sockets are driven; auto takes the best that loads.",
            "--transport");

    static final Flag<Integer> EVENT_LOOPS = Flag.one(
            FlagGroup.LISTENER,
            ValueType.integer(0, 1_024),
            c -> "" + c.listen().eventLoops(),
            "Threads that serve; 0 is one per processor.",
            "--event-loops");

    static final Flag<String> WORKER_URLS = Flag.many(
            FlagGroup.WORKERS,
            ValueType.WORKER_URL,
            c -> String.join(
                    " ",
                    c.staticWorkers().stream()
                            .map(worker -> worker.url().toString())
                            .toList()),
            "Workers to start with; more may come through POST /workers." + LIST_NOTE,
            "--worker-urls");

    static final Flag<Duration> WORKER_STARTUP_TIMEOUT = Flag.one(
            FlagGroup.WORKERS,
            ValueType.SECONDS,
            c -> text(c.registration().startupTimeout()),
            "How long a new worker may take until its first good health check before it counts as failed; it is checked on.",
            "--worker-startup-timeout-secs");

    static final Flag<Duration> LOAD_POLL_INTERVAL = Flag.one(
            FlagGroup.WORKERS,
            ValueType.SECONDS,
            c -> text(c.registration().loadPollInterval()),
            "Pause between polls of the engines' own load, as in the reference despite the name.",
            "--worker-startup-check-interval",
            "--load-monitor-interval");

    static final Flag<String> POLICY = Flag.one(
            FlagGroup.WORKERS,
            ValueType.TEXT,
            c -> c.routing().policy(),
            "How a worker is chosen. A worker's label \"policy\" may name another for its model, with the parameters set here.",
            "--policy");

    static final Flag<ModelRouting> MODEL_ROUTING = Flag.one(
            FlagGroup.WORKERS,
            ValueType.choice(ModelRouting.values()),
            c -> text(c.routing().modelRouting()),
            "match sends a request to workers that serve its model, and answers 404 to an unknown one; any takes every worker.",
            "--model-routing");

    static final Flag<Duration> REQUEST_TIMEOUT = Flag.one(
            FlagGroup.TIMEOUTS,
            ValueType.SECONDS_OR_ZERO,
            c -> text(c.timeouts().total()),
            "Limit of a whole request, retries and the streamed answer included." + ZERO_IS_OFF,
            "--request-timeout-secs");

    static final Flag<Duration> CONNECT_TIMEOUT = Flag.one(
            FlagGroup.TIMEOUTS,
            ValueType.SECONDS_OR_ZERO,
            c -> text(c.timeouts().connect()),
            "Limit until a connection to a worker stands." + ZERO_IS_OFF,
            "--connect-timeout-secs");

    static final Flag<Duration> RESPONSE_HEAD_TIMEOUT = Flag.one(
            FlagGroup.TIMEOUTS,
            ValueType.SECONDS_OR_ZERO,
            c -> text(c.timeouts().head()),
            "Limit from the sent request to the worker's response head; without streaming that is the whole generation."
                    + ZERO_IS_OFF,
            "--response-head-timeout-secs");

    static final Flag<Duration> STREAM_IDLE_TIMEOUT = Flag.one(
            FlagGroup.TIMEOUTS,
            ValueType.SECONDS_OR_ZERO,
            c -> text(c.timeouts().streamIdle()),
            "Longest silence within a response body." + ZERO_IS_OFF,
            "--stream-idle-timeout-secs");

    static final Flag<Duration> UPSTREAM_IDLE_TIMEOUT = Flag.one(
            FlagGroup.TIMEOUTS,
            ValueType.SECONDS,
            c -> text(c.pool().idleTimeout()),
            "How long an unused connection to a worker is kept; below the engines' own limit, mostly 5 s.",
            "--upstream-idle-timeout-secs");

    static final Flag<Integer> UPSTREAM_MAX_IDLE = Flag.one(
            FlagGroup.TIMEOUTS,
            ValueType.integer(0, Integer.MAX_VALUE),
            c -> "" + c.pool().maxIdle(),
            "Unused connections kept per worker and event loop; 0 keeps none.",
            "--upstream-max-idle");

    static final Flag<Integer> RETRY_MAX_RETRIES = Flag.one(
            FlagGroup.RETRIES,
            ValueType.integer(1, Integer.MAX_VALUE),
            c -> "" + c.retry().maxAttempts(),
            "Attempts in all, the first included, as in the reference despite the name.",
            "--retry-max-retries");

    static final Flag<Long> RETRY_INITIAL_BACKOFF = Flag.one(
            FlagGroup.RETRIES,
            ValueType.millis(1),
            c -> "" + c.retry().initialBackoffMillis(),
            "Pause before the second attempt.",
            "--retry-initial-backoff-ms");

    static final Flag<Long> RETRY_MAX_BACKOFF = Flag.one(
            FlagGroup.RETRIES,
            ValueType.millis(1),
            c -> "" + c.retry().maxBackoffMillis(),
            "Longest pause, jitter aside; at least the initial one.",
            "--retry-max-backoff-ms");

    static final Flag<Double> RETRY_MULTIPLIER = Flag.one(
            FlagGroup.RETRIES,
            ValueType.decimal(1, Double.POSITIVE_INFINITY, false),
            c -> ValueType.plain(c.retry().multiplier()),
            "Growth of the pause per attempt.",
            "--retry-backoff-multiplier");

    static final Flag<Double> RETRY_JITTER = Flag.one(
            FlagGroup.RETRIES,
            ValueType.decimal(0, 1, false),
            c -> ValueType.plain(c.retry().jitterFactor()),
            "Share of the pause that chance adds or takes.",
            "--retry-jitter-factor");

    static final Flag<Boolean> DISABLE_RETRIES =
            Flag.on(FlagGroup.RETRIES, c -> c.retry().maxAttempts() == 1, "One attempt only.", "--disable-retries");

    static final Flag<Integer> CB_FAILURE_THRESHOLD = Flag.one(
            FlagGroup.BREAKER,
            ValueType.integer(1, Integer.MAX_VALUE),
            c -> "" + c.breaker().failureThreshold(),
            "Failures in a row, within the window, that open a worker's breaker.",
            "--cb-failure-threshold");

    static final Flag<Integer> CB_SUCCESS_THRESHOLD = Flag.one(
            FlagGroup.BREAKER,
            ValueType.integer(1, Integer.MAX_VALUE),
            c -> "" + c.breaker().successThreshold(),
            "Successes that close a half-open breaker.",
            "--cb-success-threshold");

    static final Flag<Duration> CB_TIMEOUT = Flag.one(
            FlagGroup.BREAKER,
            ValueType.SECONDS,
            c -> text(c.breaker().openFor()),
            "How long a breaker stays open.",
            "--cb-timeout-duration-secs");

    static final Flag<Duration> CB_WINDOW = Flag.one(
            FlagGroup.BREAKER,
            ValueType.SECONDS,
            c -> text(c.breaker().window()),
            "Failures older than this no longer count.",
            "--cb-window-duration-secs");

    static final Flag<Boolean> DISABLE_CIRCUIT_BREAKER = Flag.on(
            FlagGroup.BREAKER, c -> !c.breaker().enabled(), "Breakers never open.", "--disable-circuit-breaker");

    private static final List<Flag<?>> FIRST = List.of(
            HOST,
            PORT,
            MAX_PAYLOAD_SIZE,
            MAX_HEADER_SIZE,
            MAX_REQUEST_LINE_SIZE,
            CLIENT_IDLE_TIMEOUT,
            MAX_CONNECTIONS,
            TRANSPORT,
            EVENT_LOOPS,
            WORKER_URLS,
            WORKER_STARTUP_TIMEOUT,
            LOAD_POLL_INTERVAL,
            POLICY,
            MODEL_ROUTING,
            REQUEST_TIMEOUT,
            CONNECT_TIMEOUT,
            RESPONSE_HEAD_TIMEOUT,
            STREAM_IDLE_TIMEOUT,
            UPSTREAM_IDLE_TIMEOUT,
            UPSTREAM_MAX_IDLE,
            RETRY_MAX_RETRIES,
            RETRY_INITIAL_BACKOFF,
            RETRY_MAX_BACKOFF,
            RETRY_MULTIPLIER,
            RETRY_JITTER,
            DISABLE_RETRIES,
            CB_FAILURE_THRESHOLD,
            CB_SUCCESS_THRESHOLD,
            CB_TIMEOUT,
            CB_WINDOW,
            DISABLE_CIRCUIT_BREAKER);

    /** Every flag that shapes a configuration, in the order of help. */
    static final List<Flag<?>> ALL = Stream.of(FIRST, PolicyOptions.ALL, MoreOptions.ALL)
            .<Flag<?>>flatMap(List::stream)
            .toList();

    private CliOptions() {}
}
