package io.kvgate.bench.engine.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection that stays silent for some time after an answer, as the engines' web server does. The first
 * byte of a next request stops the clock; a fresh connection may wait for ever.
 *
 * <p>Threading: confined to the event loop.
 */
final class KeepAliveTimeout extends ChannelInboundHandlerAdapter {
    private final long timeoutNanos;
    private @Nullable ScheduledFuture<?> timer;

    KeepAliveTimeout(Duration timeout) {
        this.timeoutNanos = timeout.toNanos();
    }

    /** Starts the clock: an answer has ended and no other request is there. */
    void arm(ChannelHandlerContext ctx) {
        disarm();
        if (ctx.channel().isActive()) {
            timer = ctx.executor().schedule(() -> expire(ctx), timeoutNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        disarm();
        ctx.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        disarm();
        ctx.fireChannelInactive();
    }

    private static void expire(ChannelHandlerContext ctx) {
        Future<?> unused = ctx.close();
    }

    private void disarm() {
        ScheduledFuture<?> pending = timer;
        if (pending != null) {
            pending.cancel(false);
            timer = null;
        }
    }
}
