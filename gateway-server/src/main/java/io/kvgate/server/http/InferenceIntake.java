package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.InferenceRequest;
import io.kvgate.core.request.RequestOutcome.Phase;
import io.kvgate.core.resilience.ConcurrencyLimiter.Arrival;
import io.kvgate.server.body.ReadRequest;
import io.kvgate.server.body.RequestReader;
import io.kvgate.server.routing.Exchange;
import io.kvgate.server.routing.LoopContext;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes an inference request in: admission, body, parse; then it is an {@link Exchange}.
 *
 * <p>Threading: confined to the connection's event loop; only the parse of a large body leaves it.
 */
final class InferenceIntake implements Intake {
    private static final Logger log = LoggerFactory.getLogger(InferenceIntake.class);
    /** A queued request's body is read up to here; then reading waits for its admission. */
    private static final int QUEUED_BODY_BYTES = 65_536;

    private final ClientConnection connection;
    private final FrontServices services;
    private final LoopContext loop;
    private final ApiEndpoint endpoint;
    private final ClientResponse response;
    private final BodyCollector collector;
    private @Nullable Arrival arrival;
    private @Nullable Future<?> queueTimer;
    private @Nullable Exchange exchange;
    private boolean admitted;
    private boolean bodyEnded;

    InferenceIntake(
            ClientConnection connection,
            FrontServices services,
            LoopContext loop,
            ApiEndpoint endpoint,
            ClientResponse response) {
        this.connection = connection;
        this.services = services;
        this.loop = loop;
        this.endpoint = endpoint;
        this.response = response;
        collector = new BodyCollector(services.listen().maxPayloadBytes(), services.budget());
    }

    /** Asks for admission. */
    void begin() {
        Arrival result = services.admission().arrive(() -> loop.loop().execute(this::onAdmitted));
        arrival = result;
        switch (result.admission()) {
            case ADMITTED -> onAdmitted();
            case QUEUED ->
                queueTimer = loop.loop()
                        .schedule(
                                this::onQueueTimeout,
                                services.admission().queueLimit().toNanos(),
                                TimeUnit.NANOSECONDS);
            case REJECTED -> response.fail(services.admission().queueFull());
        }
    }

    private void onQueueTimeout() {
        if (!admitted) {
            response.fail(services.admission().queueTimeout());
        }
    }

    private void onAdmitted() {
        if (response.ended() || admitted) {
            return;
        }
        admitted = true;
        if (queueTimer != null) {
            queueTimer.cancel(false);
        }
        GatewayException refusal = services.admission().rateRefusal();
        if (refusal != null) {
            response.fail(refusal);
            return;
        }
        connection.reading(true);
        if (bodyEnded) {
            parse();
        } else {
            connection.continueExpected();
        }
    }

    @Override
    public void onBody(ByteBuf bytes) {
        GatewayException refusal = collector.add(bytes);
        if (refusal != null) {
            response.fail(refusal);
        } else if (!admitted && collector.bytes() > QUEUED_BODY_BYTES) {
            connection.reading(false);
        }
    }

    @Override
    public void onBodyEnd() {
        bodyEnded = true;
        response.trace().received(collector.bytes(), services.ticker().nanos());
        if (admitted) {
            parse();
        }
    }

    private void parse() {
        ByteBuf body = collector.take();
        boolean wantPrompt = services.routing().selector().needsPrompt();
        if (body.readableBytes() <= LoopContext.MAX_READ_BYTES) {
            try {
                route(loop.reader().read(body, endpoint, wantPrompt), body);
            } catch (GatewayException e) {
                body.release();
                response.fail(e);
            }
            return;
        }
        try {
            services.parsing().execute(() -> {
                Object result = parseElsewhere(body, wantPrompt);
                loop.loop().execute(() -> onParsed(result, body));
            });
        } catch (RejectedExecutionException e) {
            body.release();
            response.fail(new GatewayException(ErrorCode.SHUTTING_DOWN, "the gateway is shutting down"));
        }
    }

    /** With a reader of its own, since its prompt goes to the event loop while the next body is read here. */
    private Object parseElsewhere(ByteBuf body, boolean wantPrompt) {
        try {
            return new RequestReader().read(body, endpoint, wantPrompt);
        } catch (GatewayException e) {
            return e;
        } catch (RuntimeException e) {
            log.error("parsing a body failed", e);
            return new GatewayException(ErrorCode.INTERNAL_ERROR, "internal error, see the gateway's log");
        }
    }

    private void onParsed(Object result, ByteBuf body) {
        if (response.ended()) {
            body.release();
        } else if (result instanceof ReadRequest read) {
            route(read, body);
        } else {
            body.release();
            response.fail((GatewayException) result);
        }
    }

    private void route(ReadRequest read, ByteBuf body) {
        response.trace().request(read.model(), read.stream());
        InferenceRequest request = new InferenceRequest(
                endpoint,
                read.model(),
                read.stream(),
                new HeaderKeys(response.head().headers()));
        Exchange.Received received = new Exchange.Received(
                response.head(), request, read.prompt(), body, response.trace(), collector::close);
        Exchange started = new Exchange(services.routing(), loop, services.router(), received, response);
        exchange = started;
        started.start();
    }

    @Override
    public void onWritable() {
        if (exchange != null) {
            exchange.clientWritable();
        }
    }

    @Override
    public void onCut(GatewayException error) {
        if (exchange == null) {
            response.fail(error);
        } else {
            exchange.cut(error);
        }
    }

    @Override
    public Phase onClientGone() {
        if (exchange == null) {
            return admitted ? Phase.BODY : Phase.QUEUED;
        }
        Phase phase = exchange.phase();
        exchange.clientGone();
        return phase;
    }

    @Override
    public void onEnded() {
        collector.close();
        if (queueTimer != null) {
            queueTimer.cancel(false);
        }
        if (arrival != null) {
            arrival.ticket().release();
        }
    }

    /** The refusal of a request whose head already shows that its body can't be used, or null. */
    static @Nullable GatewayException headRefusal(RequestFacts facts, long maxPayloadBytes) {
        if (facts.contentEncoding() != null && !facts.contentEncoding().equalsIgnoreCase("identity")) {
            return new GatewayException(
                    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Encoding: " + facts.contentEncoding() + " (expected: none)");
        }
        if (facts.expect() != null && !facts.expect().equalsIgnoreCase("100-continue")) {
            return new GatewayException(
                    ErrorCode.EXPECTATION_FAILED, "Expect: not understood (expected: 100-continue)");
        }
        if (facts.contentLength() > maxPayloadBytes) {
            return BodyCollector.tooLarge(maxPayloadBytes);
        }
        return null;
    }
}
