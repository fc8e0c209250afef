package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.RequestOutcome.Phase;
import io.kvgate.server.routing.LoopContext;
import io.kvgate.server.routing.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: takes requests one after the other, keeps what a client sends ahead of its answer back, and notices when
 * the client leaves.
 *
 * <p>The connection is read on while a request is worked on, since that is how a departed client is noticed; a client that sends
 * more than a little ahead is not read any further. A client that closes its sending side counts as gone.
 *
 * <p>Threading: confined to its event loop.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(ClientConnection.class);
    private static final int MAX_AHEAD_BYTES = 65_536;
    private static final int MAX_AHEAD_MESSAGES = 256;
    /** How long a connection that is closed on an unread body is read on, so that the answer is not lost to a reset. */
    private static final long LINGER_MILLIS = 1_000;

    private static final ByteBuf CONTINUE = Unpooled.unreleasableBuffer(
            Unpooled.copiedBuffer("HTTP/1.1 100 Continue\r\n\r\n", StandardCharsets.US_ASCII));

    private final FrontServices services;
    private final Dispatcher dispatcher;
    private final LoopContext loop;
    private final Channel channel;
    private final ArrayDeque<Object> ahead = new ArrayDeque<>();
    private @Nullable ClientResponse response;
    private Intake intake = DiscardingIntake.INSTANCE;
    private @Nullable RequestFacts facts;
    private int aheadBytes;
    private boolean bodyEnded = true;
    private boolean closing;
    private boolean takingNext;
    private boolean pausedByIntake;
    private long lastActivityNanos;

    ClientConnection(FrontServices services, Dispatcher dispatcher, LoopContext loop, Channel channel) {
        this.services = services;
        this.dispatcher = dispatcher;
        this.loop = loop;
        this.channel = channel;
        lastActivityNanos = services.ticker().nanos();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        services.meters().connectionOpened();
        scheduleIdleCheck(services.listen().idleTimeout().toNanos());
    }

    // ------------------------------------------------------------- reading

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (closing) {
            ReferenceCountUtil.release(msg);
        } else if (response != null && bodyEnded) {
            keepForLater(msg);
        } else {
            take(msg);
        }
    }

    private void keepForLater(Object msg) {
        ahead.add(msg);
        aheadBytes += size(msg);
        updateReading();
    }

    /** About the memory that a message kept for later holds. */
    private static int size(Object msg) {
        int bytes = msg instanceof HttpContent content ? content.content().readableBytes() : 0;
        if (msg instanceof HttpRequest request) {
            bytes += request.uri().length();
            Iterator<Map.Entry<CharSequence, CharSequence>> all =
                    request.headers().iteratorCharSequence();
            while (all.hasNext()) {
                Map.Entry<CharSequence, CharSequence> header = all.next();
                bytes += header.getKey().length() + header.getValue().length();
            }
        }
        return bytes;
    }

    private void take(Object msg) {
        lastActivityNanos = services.ticker().nanos();
        if (msg instanceof HttpRequest request) {
            onRequest(request);
        }
        if (msg instanceof HttpContent content) {
            onContent(content);
        }
    }

    private void onRequest(HttpRequest request) {
        GatewayException fault = RequestRules.fault(request);
        RequestTarget target = RequestTarget.of(request.uri());
        if (fault == null && target == null) {
            fault = new GatewayException(ErrorCode.INVALID_REQUEST, "request target: not understood");
        }
        bodyEnded = false;
        facts = fault == null ? RequestFacts.of(request) : null;
        ClientResponse started =
                new ClientResponse(this, services, head(request, target), facts != null && facts.keepAlive());
        response = started;
        if (fault != null || facts == null) {
            intake = DiscardingIntake.INSTANCE;
            started.routed("malformed", null, false);
            started.fail(fault == null ? RequestRules.decoderFault(null) : fault);
            return;
        }
        intake = dispatcher.dispatch(this, loop, started, facts);
        if (intake instanceof InferenceIntake inference) {
            inference.begin();
        } else if (intake instanceof ControlIntake control) {
            control.begin();
        }
    }

    private RequestHead head(HttpRequest request, @Nullable RequestTarget target) {
        String path = target == null ? "-" : target.path();
        return new RequestHead(
                request.method(),
                path,
                target == null ? "-" : target.pathAndQuery(),
                request.headers(),
                request.protocolVersion().equals(HttpVersion.HTTP_1_0),
                remoteAddress(),
                services.ids().idFor(path, request.headers()),
                services.ticker().nanos());
    }

    private String remoteAddress() {
        return channel.remoteAddress() instanceof InetSocketAddress address && address.getAddress() != null
                ? address.getAddress().getHostAddress()
                : "unknown";
    }

    private void onContent(HttpContent content) {
        ClientResponse current = response;
        if (content.decoderResult().isFailure()) {
            content.release();
            if (current != null) {
                current.fail(RequestRules.decoderFault(content.decoderResult().cause()));
            }
            close();
            return;
        }
        intake.onBody(content.content());
        if (content instanceof LastHttpContent && response == current && current != null && !bodyEnded) {
            bodyEnded = true;
            if (current.ended()) {
                requestDone();
            } else {
                intake.onBodyEnd();
            }
        }
    }

    /** Stops or goes on reading this request's body. */
    void reading(boolean on) {
        pausedByIntake = !on;
        updateReading();
    }

    private void updateReading() {
        boolean tooFarAhead = aheadBytes > MAX_AHEAD_BYTES || ahead.size() > MAX_AHEAD_MESSAGES;
        channel.config().setAutoRead(closing || !(tooFarAhead || pausedByIntake));
    }

    /** Tells a client that waits with its body to send it. */
    void continueExpected() {
        if (facts != null && facts.expect() != null && !bodyEnded) {
            channel.writeAndFlush(CONTINUE.duplicate());
        }
    }

    // ------------------------------------------------------------- writing, for the response

    ByteBufAllocator alloc() {
        return channel.alloc();
    }

    void write(ByteBuf bytes) {
        channel.write(bytes);
    }

    void flush() {
        channel.flush();
    }

    boolean writable() {
        return channel.isWritable();
    }

    /** Whether the connection may serve another request after this one's answer, which is about to begin. */
    boolean mayKeepAlive() {
        boolean bodyOver = bodyEnded || (facts != null && facts.discardable());
        return bodyOver && !closing && !services.drain().draining();
    }

    /** The request has ended: its intake lets go of everything. */
    void endIntake() {
        Intake ended = intake;
        intake = DiscardingIntake.INSTANCE;
        reading(true);
        ended.onEnded();
    }

    void responseEnded(ClientResponse ended) {
        if (response != ended) {
            return;
        }
        if (!ended.keepAlive()) {
            flushAndClose();
        } else if (bodyEnded) {
            requestDone();
        }
    }

    private void requestDone() {
        response = null;
        facts = null;
        lastActivityNanos = services.ticker().nanos();
        takeNext();
    }

    /** Goes on with what the client sent ahead. A loop, since each request may be answered before this returns. */
    private void takeNext() {
        if (takingNext) {
            return;
        }
        takingNext = true;
        while (!ahead.isEmpty() && !closing && !(response != null && bodyEnded)) {
            Object msg = ahead.poll();
            aheadBytes -= size(msg);
            take(msg);
        }
        takingNext = false;
        if (!closing) {
            updateReading();
        }
    }

    // ------------------------------------------------------------- the end

    /** Closes after what was written is out; a client that is still sending is listened to for a moment more. */
    void flushAndClose() {
        if (closing) {
            return;
        }
        boolean unread = !bodyEnded || !ahead.isEmpty();
        closing = true;
        releaseAhead();
        updateReading();
        if (unread && channel instanceof DuplexChannel duplex) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> duplex.shutdownOutput());
            loop.loop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** Ends a body whose end is the connection's, and that is not whole: only a reset tells. */
    void flushAndReset() {
        if (channel.config() instanceof SocketChannelConfig socket) {
            channel.flush();
            socket.setSoLinger(0);
        }
        flushAndClose();
    }

    /** Closes if no request is under way; after it otherwise. For shutting down. */
    void closeWhenIdle() {
        if (response == null && ahead.isEmpty()) {
            close();
        }
    }

    /** Ends the request under way with an error, and the connection. For the end of the grace period. */
    void cut(GatewayException error) {
        ClientResponse current = response;
        if (current != null && !current.ended()) {
            intake.onCut(error);
        }
        close();
    }

    private void close() {
        if (!closing) {
            flushAndClose();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel.isWritable()) {
            intake.onWritable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closing = true;
        services.meters().connectionClosed();
        releaseAhead();
        ClientResponse current = response;
        if (current != null && !current.ended()) {
            Phase phase = intake.onClientGone();
            current.gone(phase);
        }
    }

    private void releaseAhead() {
        ahead.forEach(ReferenceCountUtil::release);
        ahead.clear();
        aheadBytes = 0;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof java.io.IOException)) {
            log.error("client connection failed, closing it", cause);
        }
        channel.close();
    }

    // ------------------------------------------------------------- stalled clients

    private void scheduleIdleCheck(long nanos) {
        loop.loop().schedule(this::checkIdle, Math.max(nanos, 1_000_000L), TimeUnit.NANOSECONDS);
    }

    private void checkIdle() {
        if (closing || !channel.isActive()) {
            return;
        }
        boolean waitsForClient = response == null || (!bodyEnded && !pausedByIntake);
        if (!waitsForClient) {
            lastActivityNanos = services.ticker().nanos();
        }
        long limit = services.listen().idleTimeout().toNanos();
        long idle = services.ticker().nanos() - lastActivityNanos;
        if (idle < limit) {
            scheduleIdleCheck(limit - idle);
            return;
        }
        ClientResponse current = response;
        if (current != null) {
            current.fail(new GatewayException(
                    ErrorCode.CLIENT_TIMEOUT, "body: nothing received in time (limit: --client-idle-timeout-secs)"));
        }
        close();
    }
}
