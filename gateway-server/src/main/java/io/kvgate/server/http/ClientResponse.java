package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.RequestOutcome;
import io.kvgate.core.request.RequestOutcome.Phase;
import io.kvgate.server.routing.ErrorJson;
import io.kvgate.server.routing.Exchange;
import io.kvgate.server.routing.RequestHead;
import io.kvgate.server.routing.RequestTrace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request: begun at most once, ended exactly once, and written down when it has ended.
 *
 * <p>Threading: confined to the connection's event loop.
 */
final class ClientResponse implements Exchange.Client {
    private static final String ERROR_CODE_HEADER = "x-smg-error-code";

    private final ClientConnection connection;
    private final FrontServices services;
    private final RequestHead head;
    private final RequestTrace trace = new RequestTrace();
    private final boolean wantsKeepAlive;
    private String route = "unmatched";
    private @Nullable ApiEndpoint endpoint;
    private boolean quiet;
    private int status;
    private boolean keepAlive;
    private boolean endsByClose;
    private boolean ended;

    ClientResponse(ClientConnection connection, FrontServices services, RequestHead head, boolean wantsKeepAlive) {
        this.connection = connection;
        this.services = services;
        this.head = head;
        this.wantsKeepAlive = wantsKeepAlive;
    }

    /** Says what the request is for; before anything else. */
    void routed(String label, @Nullable ApiEndpoint inference, boolean probe) {
        route = label;
        endpoint = inference;
        quiet = probe;
        services.log().begun(head, route);
    }

    RequestHead head() {
        return head;
    }

    RequestTrace trace() {
        return trace;
    }

    boolean begun() {
        return status != 0;
    }

    boolean ended() {
        return ended;
    }

    /** Whether the connection may serve another request; known once the response has begun. */
    boolean keepAlive() {
        return keepAlive;
    }

    // ------------------------------------------------------------- the worker's answer

    @Override
    public void begin(int code, String reason, HttpHeaders headers, Exchange.BodyEnd end) {
        beginWith(code, reason, headers, end, "");
    }

    private void beginWith(int code, String reason, HttpHeaders headers, Exchange.BodyEnd end, String errorCode) {
        status = code;
        endsByClose = end == Exchange.BodyEnd.CLOSE;
        keepAlive = wantsKeepAlive
                && end != Exchange.BodyEnd.CLOSE
                && !(end == Exchange.BodyEnd.CHUNKED && head.http10())
                && connection.mayKeepAlive();
        headers.set("x-request-id", head.requestId());
        services.cors().decorate(head.headers().get(HttpHeaderNames.ORIGIN), headers);
        ResponseHeadEncoder.ConnectionHeader connectionHeader;
        if (!keepAlive) {
            connectionHeader = ResponseHeadEncoder.ConnectionHeader.CLOSE;
        } else {
            connectionHeader = head.http10()
                    ? ResponseHeadEncoder.ConnectionHeader.KEEP_ALIVE
                    : ResponseHeadEncoder.ConnectionHeader.NONE;
        }
        services.meters().responded(code, errorCode);
        connection.write(ResponseHeadEncoder.encode(code, reason, headers, end, connectionHeader, connection.alloc()));
    }

    @Override
    public void write(ByteBuf bytes) {
        connection.write(bytes);
    }

    @Override
    public void flush() {
        connection.flush();
    }

    @Override
    public void end() {
        finish(new RequestOutcome.Completed(status));
        connection.flush();
        connection.responseEnded(this);
    }

    @Override
    public boolean writable() {
        return connection.writable();
    }

    // ------------------------------------------------------------- the gateway's own answers

    @Override
    public void fail(GatewayException error) {
        if (ended) {
            return;
        }
        if (begun()) {
            breakOff(error, Unpooled.EMPTY_BUFFER);
            return;
        }
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.set(ERROR_CODE_HEADER, error.code().code());
        if (error.retryAfter() != null) {
            long seconds = Math.max(1, (error.retryAfter().toMillis() + 999) / 1_000);
            headers.set(HttpHeaderNames.RETRY_AFTER, Long.toString(seconds));
        }
        if (error.code() == ErrorCode.UNAUTHORIZED) {
            headers.set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer realm=\"kvgate\"");
        }
        if ("1".equals(head.headers().get("x-kvgate-explain"))
                && !trace.decision().isEmpty()) {
            headers.set("x-kvgate-decision", trace.decision());
        }
        if (trace.detail().isEmpty()) {
            trace.detail(error.message());
        }
        answer(
                error.code().status(),
                "application/json",
                ErrorJson.encode(error),
                headers,
                new RequestOutcome.Failed(error.code()));
    }

    /** An answer of the gateway's own API. */
    void answer(ControlResponse response) {
        if (ended) {
            return;
        }
        HttpHeaders headers = new DefaultHttpHeaders();
        response.headers().forEach(headers::set);
        RequestOutcome outcome = new RequestOutcome.Completed(response.status());
        answer(response.status(), response.contentType(), response.body(), headers, outcome);
    }

    /** An error with the methods that would have been right. */
    void methodNotAllowed(String allow) {
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.set(HttpHeaderNames.ALLOW, allow);
        headers.set(ERROR_CODE_HEADER, ErrorCode.METHOD_NOT_ALLOWED.code());
        GatewayException error = new GatewayException(
                ErrorCode.METHOD_NOT_ALLOWED, "method: " + head.method().name() + " (expected: " + allow + ")");
        answer(
                error.code().status(),
                "application/json",
                ErrorJson.encode(error),
                headers,
                new RequestOutcome.Failed(error.code()));
    }

    private void answer(int code, String contentType, byte[] body, HttpHeaders headers, RequestOutcome outcome) {
        if (!contentType.isEmpty()) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, contentType);
        }
        if (code != 204) {
            headers.set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length));
        }
        String errorCode =
                outcome instanceof RequestOutcome.Failed failed ? failed.code().code() : "";
        beginWith(code, "", headers, Exchange.BodyEnd.KNOWN, errorCode);
        if (body.length > 0 && !head.method().equals(HttpMethod.HEAD)) {
            connection.write(Unpooled.wrappedBuffer(body));
            trace.answered(body.length);
        }
        finish(outcome);
        connection.flush();
        connection.responseEnded(this);
    }

    @Override
    public void breakOff(GatewayException error, ByteBuf lastWords) {
        boolean told = lastWords.isReadable();
        if (told) {
            connection.write(lastWords);
        } else {
            lastWords.release();
        }
        keepAlive = false;
        finish(new RequestOutcome.Failed(error.code()));
        if (endsByClose && !told) {
            connection.flushAndReset();
        } else {
            connection.flushAndClose();
        }
    }

    /** The client has left. */
    void gone(Phase phase) {
        finish(new RequestOutcome.ClientAborted(phase));
    }

    private void finish(RequestOutcome outcome) {
        if (!ended) {
            ended = true;
            connection.endIntake();
            services.log().ended(new RequestLog.Ended(head, route, endpoint, quiet, trace, status, outcome));
        }
    }
}
