package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.time.Ticker;
import io.kvgate.server.observability.AccessRecord;
import io.kvgate.server.routing.RequestHead;
import io.kvgate.server.routing.RequestTrace;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes down how each request ended: one access-log line, and its meters.
 *
 * <p>Threading: any thread.
 */
final class RequestLog {
    private static final String HTTP = "http";
    private static final String REGULAR = "regular";
    private static final String NO_MODEL = "unknown";

    private final HttpMeters meters;
    private final Consumer<AccessRecord> accessLog;
    private final Ticker ticker;

    RequestLog(HttpMeters meters, Consumer<AccessRecord> accessLog, Ticker ticker) {
        this.meters = meters;
        this.accessLog = accessLog;
        this.ticker = ticker;
    }

    /**
     * One ended request.
     *
     * @param head its head
     * @param route the path as a label of a closed set
     * @param endpoint the inference endpoint; null for the gateway's own API
     * @param quiet a probe that gets no line when all is well
     * @param trace its notes
     * @param status status sent; 0 if none
     * @param outcome how it ended
     */
    record Ended(
            RequestHead head,
            String route,
            @Nullable ApiEndpoint endpoint,
            boolean quiet,
            RequestTrace trace,
            int status,
            RequestOutcome outcome) {}

    void begun(RequestHead head, String route) {
        meters.requestBegun(method(head), route);
    }

    private static String method(RequestHead head) {
        return switch (head.method().name()) {
            case "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH" ->
                head.method().name();
            default -> "OTHER";
        };
    }

    void ended(Ended request) {
        RequestHead head = request.head();
        RequestTrace trace = request.trace();
        long now = ticker.nanos();
        long duration = now - head.arrivedNanos();
        meters.requestEnded(method(head), request.route(), duration / 1e9);
        String outcome = outcomeLabel(request);
        String cause = cause(request);
        ApiEndpoint endpoint = request.endpoint();
        if (endpoint != null) {
            meters.count(GatewayMeter.ROUTER_OUTCOMES, 1, outcome, cause);
            if (trace.attempts() > 0) {
                countRouted(endpoint, request, duration, cause);
            }
        }
        if (!(request.quiet() && request.status() < 500)) {
            accessLog.accept(line(request, outcome, cause, duration));
        }
    }

    private void countRouted(ApiEndpoint endpoint, Ended request, long durationNanos, String cause) {
        RequestTrace trace = request.trace();
        String model = trace.model() == null ? NO_MODEL : trace.model();
        String label = endpoint.label();
        meters.count(
                GatewayMeter.ROUTER_REQUESTS, 1, HTTP, REGULAR, HTTP, model, label, trace.stream() ? "true" : "false");
        meters.record(GatewayMeter.ROUTER_REQUEST_DURATION, durationNanos / 1e9, HTTP, REGULAR, HTTP, model, label);
        boolean error = !(request.outcome() instanceof RequestOutcome.Completed)
                || request.status() >= 400
                || trace.hasErrorInStream();
        if (error) {
            String type = cause.isEmpty() ? "status_" + request.status() : cause;
            meters.count(GatewayMeter.ROUTER_REQUEST_ERRORS, 1, HTTP, REGULAR, HTTP, model, label, type);
        }
        if (trace.stream() && trace.firstByteNanos() >= 0) {
            double seconds = (trace.firstByteNanos() - request.head().arrivedNanos()) / 1e9;
            meters.record(GatewayMeter.ROUTER_TTFT, seconds, HTTP, REGULAR, model, label);
        }
        tokens(trace.promptTokens(), model, label, "input");
        tokens(trace.completionTokens(), model, label, "output");
        tokens(trace.cachedTokens(), model, label, "cached");
    }

    private void tokens(long count, String model, String endpoint, String type) {
        if (count > 0) {
            meters.count(GatewayMeter.ROUTER_TOKENS, count, HTTP, REGULAR, model, endpoint, type);
        }
    }

    private static String outcomeLabel(Ended request) {
        RequestOutcome outcome = request.outcome();
        if (outcome instanceof RequestOutcome.Completed) {
            return "completed";
        }
        if (outcome instanceof RequestOutcome.ClientAborted) {
            return "client_aborted";
        }
        return request.trace().attempts() == 0 ? "rejected" : "failed";
    }

    private static String cause(Ended request) {
        RequestOutcome outcome = request.outcome();
        if (outcome instanceof RequestOutcome.Failed failed) {
            return failed.code().code();
        }
        if (outcome instanceof RequestOutcome.ClientAborted aborted) {
            return aborted.phase().name().toLowerCase(Locale.ROOT);
        }
        return request.trace().hasErrorInStream() ? "error_in_stream" : "";
    }

    private static AccessRecord line(Ended request, String outcome, String cause, long durationNanos) {
        RequestHead head = request.head();
        RequestTrace trace = request.trace();
        int status = request.outcome() instanceof RequestOutcome.ClientAborted && request.status() == 0
                ? ErrorCode.CLIENT_CLOSED_REQUEST.status()
                : request.status();
        return new AccessRecord(
                head.requestId(),
                head.remoteAddress(),
                head.method().name(),
                head.path(),
                status,
                outcome,
                cause,
                trace.detail(),
                trace.model(),
                trace.stream(),
                trace.workerId(),
                trace.policy(),
                trace.reason(),
                trace.attempts(),
                durationNanos,
                trace.firstByteNanos() < 0 ? -1 : trace.firstByteNanos() - head.arrivedNanos(),
                trace.requestBytes(),
                trace.responseBytes(),
                trace.promptTokens(),
                trace.completionTokens(),
                trace.cachedTokens());
    }
}
