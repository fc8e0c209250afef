package io.kvgate.server.config;

import static io.kvgate.server.config.ValueType.text;

import io.kvgate.server.config.LogConfig.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** The last part of {@link CliOptions}: health, admission, keys, shutdown, metrics, logs. */
final class MoreOptions {
    private static final String LIST_NOTE = " Separated by spaces or commas; repeatable.";

    static final Flag<Integer> HEALTH_FAILURE_THRESHOLD = Flag.one(
            FlagGroup.HEALTH,
            ValueType.integer(1, Integer.MAX_VALUE),
            c -> "" + c.health().failureThreshold(),
            "Failed checks in a row that make a ready worker not ready.",
            "--health-failure-threshold");

    static final Flag<Integer> HEALTH_SUCCESS_THRESHOLD = Flag.one(
            FlagGroup.HEALTH,
            ValueType.integer(1, Integer.MAX_VALUE),
            c -> "" + c.health().successThreshold(),
            "Good checks in a row that make it ready again; a new worker needs one.",
            "--health-success-threshold");

    static final Flag<Duration> HEALTH_CHECK_TIMEOUT = Flag.one(
            FlagGroup.HEALTH,
            ValueType.SECONDS,
            c -> text(c.health().timeout()),
            "Limit of one check.",
            "--health-check-timeout-secs");

    static final Flag<Duration> HEALTH_CHECK_INTERVAL = Flag.one(
            FlagGroup.HEALTH,
            ValueType.SECONDS,
            c -> text(c.health().interval()),
            "Pause between checks of a ready worker.",
            "--health-check-interval-secs");

    static final Flag<String> HEALTH_CHECK_ENDPOINT = Flag.one(
            FlagGroup.HEALTH,
            ValueType.PATH,
            c -> c.health().endpoint(),
            "Path that is asked on each worker, with the worker's key.",
            "--health-check-endpoint");

    static final Flag<Boolean> DISABLE_HEALTH_CHECK = Flag.on(
            FlagGroup.HEALTH,
            c -> c.health().disabled(),
            "Workers count as ready without being checked.",
            "--disable-health-check");

    static final Flag<Integer> MAX_CONCURRENT_REQUESTS = Flag.one(
            FlagGroup.ADMISSION,
            ValueType.integer(Integer.MIN_VALUE, Integer.MAX_VALUE),
            c -> "" + c.admission().maxConcurrentRequests(),
            "Requests under way at once; 0 or less: no limit. A cap, not a rate as in the reference.",
            "--max-concurrent-requests");

    static final Flag<Integer> QUEUE_SIZE = Flag.one(
            FlagGroup.ADMISSION,
            ValueType.integer(0, Integer.MAX_VALUE),
            c -> "" + c.admission().queueSize(),
            "Requests that may wait, in order of arrival, when the cap is reached; 0: none, they are answered 429.",
            "--queue-size");

    static final Flag<Duration> QUEUE_TIMEOUT = Flag.one(
            FlagGroup.ADMISSION,
            ValueType.SECONDS_OR_ZERO,
            c -> text(c.admission().queueTimeout()),
            "How long a request may wait; above 0 if there is a queue.",
            "--queue-timeout-secs");

    static final Flag<Double> RATE_LIMIT = Flag.one(
            FlagGroup.ADMISSION,
            ValueType.decimal(0, Double.POSITIVE_INFINITY, false),
            c -> ValueType.plain(c.admission().tokensPerSecond()),
            "Requests begun per second, apart from the concurrency cap; 0 turns the limit off.",
            "--rate-limit-tokens-per-second");

    static final Flag<Long> MAX_BUFFERED_BODY_BYTES = Flag.one(
            FlagGroup.ADMISSION,
            ValueType.bytes(0, Long.MAX_VALUE),
            c -> "" + c.admission().maxBufferedBodyBytes(),
            "Request bodies held at once, over all requests; 0 is half of the direct memory.",
            "--max-buffered-body-bytes");

    static final Flag<String> API_KEY = Flag.one(
            FlagGroup.SECURITY,
            ValueType.SECRET,
            c -> c.auth().apiKey() == null ? "none" : "set",
            "Key that clients must send as bearer, and that the workers of --worker-urls are given, as in the reference.",
            "--api-key");

    static final Flag<String> CONTROL_PLANE_API_KEYS = Flag.many(
            FlagGroup.SECURITY,
            ValueType.CONTROL_KEY,
            c -> c.auth().controlPlaneKeys().isEmpty()
                    ? "none"
                    : c.auth().controlPlaneKeys().size() + " set",
            "Keys of the admin routes; when there are any, --api-key no longer opens these. Separated by spaces; repeatable.",
            "--control-plane-api-keys");

    static final Flag<String> REQUEST_ID_HEADERS = Flag.many(
            FlagGroup.SECURITY,
            ValueType.HEADER_NAME,
            c -> String.join(" ", c.headers().requestIdHeaders()),
            "Where a client's request id is looked for, in order." + LIST_NOTE,
            "--request-id-headers");

    static final Flag<String> DENIED_REQUEST_HEADERS = Flag.many(
            FlagGroup.SECURITY,
            ValueType.HEADER_NAME,
            c -> String.join(" ", c.headers().deniedRequestHeaders()),
            "Request headers that are not passed on to workers, instead of the default; no value: all are passed on."
                    + LIST_NOTE,
            "--denied-request-headers");

    static final Flag<String> CORS_ALLOWED_ORIGINS = Flag.many(
            FlagGroup.SECURITY,
            ValueType.ORIGIN_VALUE,
            c -> String.join(" ", c.headers().corsAllowedOrigins()),
            "Origins that browsers may call from; none: any." + LIST_NOTE,
            "--cors-allowed-origins");

    static final Flag<Duration> SHUTDOWN_GRACE = Flag.one(
            FlagGroup.SHUTDOWN,
            ValueType.SECONDS_OR_ZERO,
            c -> text(c.shutdown().grace()),
            "How long running requests may take to finish once no new ones are taken.",
            "--shutdown-grace-period-secs");

    static final Flag<Duration> DRAIN_SETTLE = Flag.one(
            FlagGroup.SHUTDOWN,
            ValueType.SECONDS_OR_ZERO,
            c -> text(c.shutdown().settle()),
            "How long requests are still taken after /readiness said no, so that load balancers can move away.",
            "--drain-settle-secs");

    static final Flag<Integer> PROMETHEUS_PORT = Flag.one(
            FlagGroup.METRICS,
            ValueType.integer(0, 65_535),
            c -> "" + c.metrics().port(),
            "Port of /metrics; 0 takes a free one.",
            "--prometheus-port");

    static final Flag<String> PROMETHEUS_HOST = Flag.one(
            FlagGroup.METRICS, ValueType.HOST, c -> c.metrics().host(), "Address of /metrics.", "--prometheus-host");

    static final Flag<Double> PROMETHEUS_DURATION_BUCKETS = Flag.many(
            FlagGroup.METRICS,
            ValueType.positiveElement(),
            c -> c.metrics().durationBuckets().stream().map(ValueType::plain).collect(Collectors.joining(" ")),
            "Upper bounds in seconds of the histograms whose name ends in duration_seconds." + LIST_NOTE,
            "--prometheus-duration-buckets");

    static final Flag<Path> LOG_DIR = Flag.one(
            FlagGroup.LOGS,
            ValueType.DIRECTORY,
            c -> c.log().dir() == null ? "none" : "" + c.log().dir(),
            "Also logs to kvgate.DATE.log there, a new file each day (UTC).",
            "--log-dir");

    static final Flag<Level> LOG_LEVEL = Flag.one(
            FlagGroup.LOGS,
            ValueType.choice(Level.values()),
            c -> text(c.log().level()),
            "Least level that is logged.",
            "--log-level");

    static final Flag<Boolean> JSON_LOG =
            Flag.on(FlagGroup.LOGS, c -> c.log().json(), "One JSON object per line.", "--json-log", "--log-json");

    static final Flag<Boolean> DISABLE_ACCESS_LOG =
            Flag.on(FlagGroup.LOGS, c -> !c.log().accessLog(), "No line per request.", "--disable-access-log");

    /** All of this class, in the order of help. */
    static final List<Flag<?>> ALL = List.of(
            HEALTH_FAILURE_THRESHOLD,
            HEALTH_SUCCESS_THRESHOLD,
            HEALTH_CHECK_TIMEOUT,
            HEALTH_CHECK_INTERVAL,
            HEALTH_CHECK_ENDPOINT,
            DISABLE_HEALTH_CHECK,
            MAX_CONCURRENT_REQUESTS,
            QUEUE_SIZE,
            QUEUE_TIMEOUT,
            RATE_LIMIT,
            MAX_BUFFERED_BODY_BYTES,
            API_KEY,
            CONTROL_PLANE_API_KEYS,
            REQUEST_ID_HEADERS,
            DENIED_REQUEST_HEADERS,
            CORS_ALLOWED_ORIGINS,
            SHUTDOWN_GRACE,
            DRAIN_SETTLE,
            PROMETHEUS_HOST,
            PROMETHEUS_PORT,
            PROMETHEUS_DURATION_BUCKETS,
            LOG_DIR,
            LOG_LEVEL,
            JSON_LOG,
            DISABLE_ACCESS_LOG);

    private MoreOptions() {}
}
