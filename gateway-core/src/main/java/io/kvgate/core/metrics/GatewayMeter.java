package io.kvgate.core.metrics;

import java.util.List;

/**
 * Every meter the gateway exports. Names, labels and units are the reference's where it has the meter; {@code kvgate_} begins
 * the names of our own.
 */
public enum GatewayMeter {
    HTTP_REQUESTS(Kind.COUNTER, "smg_http_requests_total", "Requests received.", "method", "path"),
    HTTP_REQUEST_DURATION(
            Kind.HISTOGRAM,
            "smg_http_request_duration_seconds",
            "From the request head to the end of the answer.",
            "method",
            "path"),
    HTTP_RESPONSES(Kind.COUNTER, "smg_http_responses_total", "Answers begun.", "status_code", "error_code"),
    HTTP_CONNECTIONS_ACTIVE(Kind.GAUGE, "smg_http_connections_active", "Open client connections."),
    HTTP_REQUESTS_INFLIGHT(Kind.GAUGE, "kvgate_http_requests_inflight", "Requests not ended yet."),
    HTTP_RATE_LIMIT(Kind.COUNTER, "smg_http_rate_limit_total", "Admission decisions while a limit is set.", "result"),
    ROUTER_REQUESTS(
            Kind.COUNTER,
            "smg_router_requests_total",
            "Requests routed.",
            "router_type",
            "backend_type",
            "connection_mode",
            "model",
            "endpoint",
            "streaming"),
    ROUTER_REQUEST_DURATION(
            Kind.HISTOGRAM,
            "smg_router_request_duration_seconds",
            "From the parsed request to the end of the answer, retries included.",
            "router_type",
            "backend_type",
            "connection_mode",
            "model",
            "endpoint"),
    ROUTER_REQUEST_ERRORS(
            Kind.COUNTER,
            "smg_router_request_errors_total",
            "Routed requests that ended in an error.",
            "router_type",
            "backend_type",
            "connection_mode",
            "model",
            "endpoint",
            "error_type"),
    ROUTER_OUTCOMES(
            Kind.COUNTER, "kvgate_router_outcomes_total", "Ended requests by how they ended.", "outcome", "cause"),
    UPSTREAM_RESPONSES(
            Kind.COUNTER,
            "smg_router_upstream_responses_total",
            "Attempts at a worker by their result.",
            "router_type",
            "status_code",
            "error_code"),
    ROUTER_TTFT(
            Kind.HISTOGRAM,
            "smg_router_ttft_seconds",
            "From the request head to the first body byte of a stream.",
            "router_type",
            "backend_type",
            "model",
            "endpoint"),
    ROUTER_TOKENS(
            Kind.COUNTER,
            "smg_router_tokens_total",
            "Tokens as the engines report them in usage.",
            "router_type",
            "backend_type",
            "model",
            "endpoint",
            "token_type"),
    GATEWAY_OVERHEAD(
            Kind.HISTOGRAM,
            "kvgate_request_overhead_seconds",
            "From the last byte of the request to the first byte written to a worker, waiting excluded.",
            "endpoint"),
    WORKER_POOL_SIZE(
            Kind.GAUGE, "smg_worker_pool_size", "Registered workers.", "worker_type", "connection_mode", "model"),
    WORKER_CONNECTIONS_ACTIVE(
            Kind.GAUGE,
            "smg_worker_connections_active",
            "Open connections to workers.",
            "worker_type",
            "connection_mode"),
    WORKER_REQUESTS_ACTIVE(Kind.GAUGE, "smg_worker_requests_active", "Requests in flight at a worker.", "worker"),
    WORKER_HEALTH(Kind.GAUGE, "smg_worker_health", "1 if ready, else 0.", "worker"),
    WORKER_HEALTH_CHECKS(Kind.COUNTER, "smg_worker_health_checks_total", "Health probes.", "worker_type", "result"),
    WORKER_SELECTION(
            Kind.COUNTER,
            "smg_worker_selection_total",
            "Workers chosen.",
            "worker_type",
            "connection_mode",
            "model",
            "policy"),
    MANUAL_BRANCH(
            Kind.COUNTER, "smg_manual_policy_branch_total", "Choices of the policy manual by their reason.", "branch"),
    MANUAL_ENTRIES(Kind.GAUGE, "smg_manual_policy_cache_entries", "Routing keys the policy manual remembers."),
    CONSISTENT_HASHING_BRANCH(
            Kind.COUNTER,
            "smg_consistent_hashing_policy_branch_total",
            "Choices of the policy consistent_hashing by their reason.",
            "branch"),
    PREFIX_HASH_BRANCH(
            Kind.COUNTER,
            "smg_prefix_hash_policy_branch_total",
            "Choices of the policy prefix_hash by their reason.",
            "branch"),
    CACHE_AWARE_BRANCH(
            Kind.COUNTER,
            "kvgate_cache_aware_policy_branch_total",
            "Choices of the policy cache_aware by their reason.",
            "branch"),
    CACHE_AWARE_TREE_CHARS(
            Kind.GAUGE,
            "kvgate_cache_aware_tree_characters",
            "Characters that the policy cache_aware believes to be cached at a worker, over all models.",
            "worker"),
    CACHE_AWARE_TREE_BYTES(
            Kind.GAUGE,
            "kvgate_cache_aware_tree_bytes",
            "Estimated heap that the prefix trees of the policy cache_aware take, over all pools."),
    CACHE_AWARE_SKIPPED(
            Kind.COUNTER,
            "kvgate_cache_aware_skipped_inserts_total",
            "Prompts that the policy cache_aware did not note because its trees had no room."),
    BUCKET_BRANCH(
            Kind.COUNTER,
            "kvgate_bucket_policy_branch_total",
            "Choices of the policy bucket by their reason.",
            "branch"),
    WORKER_ERRORS(
            Kind.COUNTER,
            "smg_worker_errors_total",
            "Failed attempts.",
            "worker_type",
            "connection_mode",
            "error_type"),
    WORKER_CB_STATE(Kind.GAUGE, "smg_worker_cb_state", "Breaker: 0 closed, 1 open, 2 half-open.", "worker"),
    WORKER_CB_TRANSITIONS(
            Kind.COUNTER, "smg_worker_cb_transitions_total", "Breaker state changes.", "worker", "from", "to"),
    WORKER_CB_OUTCOMES(
            Kind.COUNTER, "smg_worker_cb_outcomes_total", "Outcomes the breaker counted.", "worker", "outcome"),
    WORKER_CB_FAILURES(
            Kind.GAUGE,
            "smg_worker_cb_consecutive_failures",
            "Failures since the last success, within the window.",
            "worker"),
    WORKER_CB_SUCCESSES(
            Kind.GAUGE, "smg_worker_cb_consecutive_successes", "Successes of a half-open breaker.", "worker"),
    WORKER_RETRIES(Kind.COUNTER, "smg_worker_retries_total", "Attempts after the first.", "worker_type", "endpoint"),
    WORKER_RETRIES_EXHAUSTED(
            Kind.COUNTER,
            "smg_worker_retries_exhausted_total",
            "Requests that failed with no attempt left.",
            "worker_type",
            "endpoint"),
    WORKER_RETRY_BACKOFF(Kind.HISTOGRAM, "smg_worker_retry_backoff_seconds", "Pause before an attempt.", "attempt"),
    UPSTREAM_STALE_CONNECTIONS(
            Kind.COUNTER,
            "kvgate_upstream_stale_connections_total",
            "Kept connections that a worker had closed when they were used again."),
    WORKER_LOAD_POLLS(Kind.COUNTER, "kvgate_worker_load_polls_total", "Polls of engine load.", "source", "result"),
    DISCOVERY_REGISTRATIONS(
            Kind.COUNTER, "smg_discovery_registrations_total", "Workers registered.", "source", "result"),
    DISCOVERY_DEREGISTRATIONS(
            Kind.COUNTER, "smg_discovery_deregistrations_total", "Workers removed.", "source", "reason"),
    QUEUE_WAITING(Kind.GAUGE, "kvgate_queue_waiting", "Requests waiting for a concurrency permit."),
    PERMITS_IN_USE(Kind.GAUGE, "kvgate_permits_in_use", "Concurrency permits taken."),
    BODY_BYTES_BUFFERED(Kind.GAUGE, "kvgate_body_bytes_buffered", "Bytes of request bodies held."),
    READY(Kind.GAUGE, "kvgate_ready", "1 while /readiness answers 200, else 0.");

    /** What a meter is. */
    public enum Kind {
        COUNTER,
        GAUGE,
        HISTOGRAM
    }

    private final Kind kind;
    private final String metricName;
    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> labels;

    GatewayMeter(Kind kind, String metricName, String help, String... labels) {
        this.kind = kind;
        this.metricName = metricName;
        this.help = help;
        this.labels = List.of(labels);
    }

    public Kind kind() {
        return kind;
    }

    /** The exported name; its last part tells the unit. */
    public String metricName() {
        return metricName;
    }

    public String help() {
        return help;
    }

    /** Label names, in the order in which values are given. */
    public List<String> labels() {
        return labels;
    }

    /**
     * The check every registry makes at its door.
     *
     * @throws IllegalArgumentException if this is another kind of meter, or the values are not one per label
     */
    public void check(Kind expected, String... labelValues) {
        if (kind != expected) {
            throw new IllegalArgumentException(metricName + ": " + kind + " (expected: " + expected + ")");
        }
        if (labelValues.length != labels.size()) {
            throw new IllegalArgumentException(
                    metricName + ": " + labelValues.length + " label values (expected: " + labels.size() + ")");
        }
    }
}
