package io.kvgate.server.monitor;

import io.kvgate.core.error.ErrorCode;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer on a connection of its own: sends when the connection stands, collects the body up to a limit, completes
 * the reply and closes.
 *
 * <p>Threading: confined to its channel's event loop; the reply may also be completed elsewhere, by a timeout, which closes the
 * channel.
 */
final class WorkerExchange extends SimpleChannelInboundHandler<HttpObject> {
    private final FullHttpRequest request;
    private final int maxBytes;
    private final CompletableFuture<WorkerReply> reply;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable HttpResponse head;

    /** The request's buffer is a plain array, so that a request that is never sent needs no release. */
    WorkerExchange(FullHttpRequest request, int maxBytes, CompletableFuture<WorkerReply> reply) {
        this.request = request;
        this.maxBytes = maxBytes;
        this.reply = reply;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        // A failed write closes the channel, which is told below.
        var unused = context.writeAndFlush(request).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (message.decoderResult().isFailure()) {
            finish(context, WorkerReply.failed(ErrorCode.UPSTREAM_PROTOCOL_ERROR, "the answer is not HTTP"));
            return;
        }
        if (message instanceof HttpResponse response) {
            head = response;
        }
        HttpResponse answer = head;
        if (answer == null || !(message instanceof HttpContent content)) {
            return;
        }
        if (answer.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
            // The real answer follows.
            return;
        }
        int length = content.content().readableBytes();
        if (length > maxBytes - body.size()) {
            finish(
                    context,
                    WorkerReply.failed(ErrorCode.UPSTREAM_PROTOCOL_ERROR, "answer larger than " + maxBytes + " bytes"));
            return;
        }
        byte[] part = new byte[length];
        content.content().readBytes(part);
        body.write(part, 0, length);
        if (message instanceof LastHttpContent) {
            String contentType = answer.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
            finish(context, WorkerReply.answered(answer.status().code(), contentType, body.toByteArray()));
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
            finish(context, WorkerReply.failed(ErrorCode.UPSTREAM_CONNECT_ERROR, "TLS failure"));
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        finish(
                context,
                WorkerReply.failed(ErrorCode.UPSTREAM_RESET, "connection closed before the answer was complete"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        finish(context, failure(cause));
    }

    private void finish(ChannelHandlerContext context, WorkerReply outcome) {
        // Later outcomes of the same exchange change nothing.
        reply.complete(outcome);
        var unused = context.close();
    }

    /** Kinds only: the texts of these exceptions may hold addresses. */
    static WorkerReply failure(Throwable error) {
        Throwable cause = error instanceof DecoderException && error.getCause() != null ? error.getCause() : error;
        if (cause instanceof ConnectTimeoutException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_CONNECT_TIMEOUT, "connect timed out");
        }
        if (cause instanceof UnknownHostException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_CONNECT_ERROR, "host name not known");
        }
        if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_CONNECT_ERROR, "connection refused or host unreachable");
        }
        if (cause instanceof SSLException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_CONNECT_ERROR, "TLS failure");
        }
        if (cause instanceof IOException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_RESET, "connection closed before the answer was complete");
        }
        return WorkerReply.failed(
                ErrorCode.UPSTREAM_PROTOCOL_ERROR,
                "call failed: " + cause.getClass().getSimpleName());
    }
}
