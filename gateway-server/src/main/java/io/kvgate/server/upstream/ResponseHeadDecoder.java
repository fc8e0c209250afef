package io.kvgate.server.upstream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponseDecoder;

/**
 * Netty's response decoder, refusing what it would repair, and remembering whether any byte of an answer came.
 *
 * <p>Threading: confined to its channel's event loop.
 */
final class ResponseHeadDecoder extends HttpResponseDecoder {
    private boolean anyByte;

    ResponseHeadDecoder(HttpDecoderConfig config) {
        super(config);
    }

    /** True once the worker has begun to answer, be it with an interim response or half a status line. */
    boolean anyByte() {
        return anyByte;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) throws Exception {
        anyByte = true;
        super.channelRead(ctx, msg);
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
    }
}
