package io.kvgate.bench.engine.http;

import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.api.ErrorBodies;
import io.kvgate.bench.engine.api.InferenceApi;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: takes its requests one after the other, answers pages itself and hands inference to an
 * {@link InferenceExchange}. Reading never stops, so that a client's leaving is seen at once; requests sent ahead wait
 * here, at most 16 of them.
 *
 * <p>Threading: confined to the event loop.
 */
final class EngineHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger log = LoggerFactory.getLogger(EngineHandler.class);
    private static final int MAX_PIPELINED = 16;

    private final EngineCore core;
    private final KeepAliveTimeout keepAliveTimeout;
    private final PageRouter pages;
    private final Deque<FullHttpRequest> pending = new ArrayDeque<>();
    private @Nullable InferenceExchange exchange;
    private boolean busy;
    private boolean keepAlive;

    EngineHandler(EngineCore core, KeepAliveTimeout keepAliveTimeout) {
        this.core = core;
        this.keepAliveTimeout = keepAliveTimeout;
        this.pages = new PageRouter(core);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        if (!busy) {
            handle(ctx, request);
        } else if (pending.size() < MAX_PIPELINED) {
            pending.addLast(request.retain());
        } else {
            close(ctx.channel());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        for (FullHttpRequest request = pending.pollFirst(); request != null; request = pending.pollFirst()) {
            request.release();
        }
        InferenceExchange current = exchange;
        if (current != null) {
            exchange = null;
            current.clientLeft();
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // A client that resets its connection is an everyday event; anything else is a defect of the engine.
        if (!(cause instanceof IOException)) {
            log.warn("connection failed", cause);
        }
        close(ctx.channel());
    }

    /** Sends a whole response and goes on to the next request. */
    void send(ChannelHandlerContext ctx, FullHttpResponse response) {
        if (!keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        Future<?> unused = ctx.writeAndFlush(response);
        finished(ctx);
    }

    boolean keepAlive() {
        return keepAlive;
    }

    /** The answer's last byte is on its way. */
    void finished(ChannelHandlerContext ctx) {
        exchange = null;
        busy = false;
        if (!keepAlive) {
            closeAfterWrites(ctx.channel());
            return;
        }
        FullHttpRequest next = pending.pollFirst();
        if (next == null) {
            keepAliveTimeout.arm(ctx);
            return;
        }
        ctx.executor().execute(() -> {
            try {
                if (ctx.channel().isActive()) {
                    handle(ctx, next);
                }
            } finally {
                next.release();
            }
        });
        busy = true;
    }

    /** Ends the connection after a fault; no request is in progress any more. */
    void cut(Channel channel, boolean reset) {
        exchange = null;
        if (reset) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            close(channel);
        } else {
            closeAfterWrites(channel);
        }
    }

    private static void close(Channel channel) {
        Future<?> unused = channel.close();
    }

    private static void closeAfterWrites(Channel channel) {
        Future<?> unused = channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    private void handle(ChannelHandlerContext ctx, FullHttpRequest request) {
        busy = true;
        keepAlive = HttpUtil.isKeepAlive(request) && minorVersion(request) > 0;
        if (request.decoderResult().isFailure()) {
            keepAlive = false;
            send(ctx, HttpAnswers.text(400, "Invalid HTTP request received."));
            return;
        }
        String target = request.uri();
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        core.counters.countReceived(path);
        byte[] body = ByteBufUtil.getBytes(request.content());
        if (core.counters.keepsRequests()) {
            core.counters.keep(new ReceivedRequest(request, body));
        }
        if (!authorized(path, request)) {
            send(ctx, HttpAnswers.json(401, ErrorBodies.unauthorized()));
            return;
        }
        InferenceApi api = InferenceApi.of(path, core.identity.flavour());
        if (api == null) {
            pages.answer(this, ctx, request.method(), path, body);
        } else if (!request.method().equals(HttpMethod.POST)) {
            send(ctx, HttpAnswers.json(405, ErrorBodies.unrouted(405)));
        } else {
            InferenceExchange started = new InferenceExchange(core, this, ctx, api, path);
            exchange = started;
            started.start(body, rank(request), minorVersion(request) > 0);
        }
    }

    private boolean authorized(String path, FullHttpRequest request) {
        String key = core.apiKey;
        boolean guarded = core.identity.flavour() == EngineFlavour.VLLM
                ? path.startsWith("/v1")
                : !path.startsWith("/health") && !path.startsWith("/metrics");
        return key == null
                || !guarded
                || ("Bearer " + key).equals(request.headers().get("Authorization"));
    }

    private static int minorVersion(FullHttpRequest request) {
        return request.protocolVersion().minorVersion();
    }

    private static int rank(FullHttpRequest request) {
        return request.headers().getInt("X-data-parallel-rank", -1);
    }
}
