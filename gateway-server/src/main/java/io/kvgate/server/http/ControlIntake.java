package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.RequestOutcome.Phase;
import io.kvgate.core.time.Ticker;
import io.kvgate.server.routing.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a request to the gateway's own API in, and its answer out.
 *
 * <p>Threading: confined to the connection's event loop; the answer may come from any thread.
 */
final class ControlIntake implements Intake {
    private static final Logger log = LoggerFactory.getLogger(ControlIntake.class);

    private final ControlRoute route;
    private final ClientConnection connection;
    private final ClientResponse response;
    private final EventLoop loop;
    private final Ticker nanos;
    private final BodyCollector collector;

    ControlIntake(
            ControlRoute route,
            ClientConnection connection,
            ClientResponse response,
            EventLoop loop,
            FrontServices services) {
        this.route = route;
        this.connection = connection;
        this.response = response;
        this.loop = loop;
        collector = new BodyCollector(ControlRequest.MAX_BODY_BYTES, services.budget());
        nanos = services.ticker();
    }

    void begin() {
        connection.continueExpected();
    }

    @Override
    public void onBody(ByteBuf bytes) {
        if (collector.add(bytes) != null) {
            response.fail(new GatewayException(
                    ErrorCode.PAYLOAD_TOO_LARGE,
                    "body: larger than " + ControlRequest.MAX_BODY_BYTES + " bytes (limit of the gateway's own API)"));
        }
    }

    @Override
    public void onBodyEnd() {
        response.trace().received(collector.bytes(), nanos.nanos());
        ByteBuf body = collector.take();
        byte[] bytes = ByteBufUtil.getBytes(body);
        body.release();
        RequestHead head = response.head();
        int question = head.target().indexOf('?');
        String query = question < 0 ? "" : head.target().substring(question + 1);
        Map<String, String> headers = new HashMap<>();
        head.headers().forEach(header -> headers.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
        String method =
                head.method().name().equals("HEAD") ? "GET" : head.method().name();
        try {
            route.handle(new ControlRequest(method, head.path(), query, headers, bytes))
                    .whenComplete((answer, failure) -> loop.execute(() -> onAnswer(answer, failure)));
        } catch (RuntimeException e) {
            onAnswer(null, e);
        }
    }

    private void onAnswer(@Nullable ControlResponse answer, @Nullable Throwable failure) {
        if (answer != null) {
            response.answer(answer);
            return;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof GatewayException known) {
            response.fail(known);
        } else {
            log.error("{} {} failed", response.head().method(), response.head().path(), cause);
            response.fail(new GatewayException(ErrorCode.INTERNAL_ERROR, "internal error, see the gateway's log"));
        }
    }

    @Override
    public Phase onClientGone() {
        return Phase.BODY;
    }

    @Override
    public void onEnded() {
        collector.close();
    }
}
