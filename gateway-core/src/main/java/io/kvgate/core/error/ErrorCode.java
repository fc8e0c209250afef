package io.kvgate.core.error;

/**
 * The closed list of failures the gateway itself answers with.
 *
 * <p>{@link #code()} is the value of {@code error.code}, of the header {@code X-SMG-Error-Code} and of metric labels. {@link
 * #workerUntouched()} tells whether the worker can have begun the request, which decides if trying another one is free of
 * doubt.
 */
public enum ErrorCode {
    INVALID_JSON("invalid_json", 400, Type.INVALID_REQUEST, true),
    INVALID_REQUEST("invalid_request", 400, Type.INVALID_REQUEST, true),
    MODEL_REQUIRED("model_required", 400, Type.INVALID_REQUEST, true),
    UNAUTHORIZED("unauthorized", 401, Type.AUTHENTICATION, true),
    MODEL_NOT_FOUND("model_not_found", 404, Type.INVALID_REQUEST, true),
    NOT_FOUND("not_found", 404, Type.INVALID_REQUEST, true),
    WORKER_NOT_FOUND("worker_not_found", 404, Type.INVALID_REQUEST, true),
    METHOD_NOT_ALLOWED("method_not_allowed", 405, Type.INVALID_REQUEST, true),
    CLIENT_TIMEOUT("client_timeout", 408, Type.INVALID_REQUEST, true),
    WORKER_EXISTS("worker_exists", 409, Type.INVALID_REQUEST, true),
    PAYLOAD_TOO_LARGE("payload_too_large", 413, Type.INVALID_REQUEST, true),
    URI_TOO_LONG("uri_too_long", 414, Type.INVALID_REQUEST, true),
    UNSUPPORTED_MEDIA_TYPE("unsupported_media_type", 415, Type.INVALID_REQUEST, true),
    EXPECTATION_FAILED("expectation_failed", 417, Type.INVALID_REQUEST, true),
    RATE_LIMITED("rate_limited", 429, Type.RATE_LIMIT, true),
    QUEUE_FULL("queue_full", 429, Type.RATE_LIMIT, true),
    QUEUE_TIMEOUT("queue_timeout", 429, Type.RATE_LIMIT, true),
    HEADERS_TOO_LARGE("headers_too_large", 431, Type.INVALID_REQUEST, true),
    /** The client left before its answer was complete; never sent, only logged and counted. */
    CLIENT_CLOSED_REQUEST("client_closed_request", 499, Type.INVALID_REQUEST, false),
    INTERNAL_ERROR("internal_error", 500, Type.SERVER, false),
    /** Refused, unreachable, unresolvable, TLS failure: no byte of the request was sent. */
    UPSTREAM_CONNECT_ERROR("upstream_connect_error", 502, Type.UPSTREAM, true),
    /** The worker closed or reset the connection before its answer was complete. */
    UPSTREAM_RESET("upstream_reset", 502, Type.UPSTREAM, false),
    /** The worker's bytes are not HTTP that may be passed on. */
    UPSTREAM_PROTOCOL_ERROR("upstream_protocol_error", 502, Type.UPSTREAM, false),
    /** No worker is known that could serve the request. */
    NO_WORKERS("no_workers", 503, Type.UNAVAILABLE, true),
    /** Workers are known, but none may be chosen now. */
    NO_AVAILABLE_WORKERS("no_available_workers", 503, Type.UNAVAILABLE, true),
    /** The memory set aside for request bodies is used up. */
    OVERLOADED("overloaded", 503, Type.UNAVAILABLE, true),
    SHUTTING_DOWN("shutting_down", 503, Type.UNAVAILABLE, true),
    UPSTREAM_CONNECT_TIMEOUT("upstream_connect_timeout", 504, Type.UPSTREAM, true),
    /** No response head, or no end of the response, in time. */
    UPSTREAM_TIMEOUT("upstream_timeout", 504, Type.UPSTREAM, false),
    /** A response that had begun fell silent. */
    UPSTREAM_IDLE_TIMEOUT("upstream_idle_timeout", 504, Type.UPSTREAM, false);

    private static final class Type {
        static final String INVALID_REQUEST = "invalid_request_error";
        static final String AUTHENTICATION = "authentication_error";
        static final String RATE_LIMIT = "rate_limit_error";
        static final String SERVER = "server_error";
        static final String UPSTREAM = "upstream_error";
        static final String UNAVAILABLE = "service_unavailable_error";
    }

    private final String code;
    private final int status;
    private final String type;
    private final boolean workerUntouched;

    ErrorCode(String code, int status, String type, boolean workerUntouched) {
        this.code = code;
        this.status = status;
        this.type = type;
        this.workerUntouched = workerUntouched;
    }

    /** Snake case, stable: clients and dashboards match on it. */
    public String code() {
        return code;
    }

    /** The HTTP status of the answer. */
    public int status() {
        return status;
    }

    /** The value of {@code error.type}, in the manner of the OpenAI API. */
    public String type() {
        return type;
    }

    /** True if no worker can have begun the request when this happened. */
    public boolean workerUntouched() {
        return workerUntouched;
    }
}
