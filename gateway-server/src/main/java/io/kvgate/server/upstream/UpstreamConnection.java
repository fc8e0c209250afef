package io.kvgate.server.upstream;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.worker.Worker;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a worker: idle in its pool, or serving one call.
 *
 * <p>For each response a fresh head decoder is put in front and taken out again as soon as the head is there; what follows
 * arrives here as raw bytes. So a body costs no decoding, no object per chunk and no encoding.
 *
 * <p>Threading: confined to its channel's event loop.
 */
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
    /** This handler's name in its pipeline. */
    static final String RELAY = "relay";

    private static final String HEAD_DECODER = "head";
    /** A response nobody wants is read to its end up to here, to keep the connection. */
    private static final int MAX_DISCARD_BYTES = 65_536;
    /** … and for so long. */
    private static final long MAX_DISCARD_MILLIS = 1_000;

    /** No more than one gathering write takes on Linux (IOV_MAX), with room for the head. */
    private static final int MAX_SLICES_AT_ONCE = 1_000;
    /** A worker that says "wait" more often than this never answers. */
    private static final int MAX_INTERIM_HEADS = 100;

    private final Worker worker;
    private final ConnectionPool pool;
    private final HttpDecoderConfig decoderConfig;
    private final Channel channel;
    private @Nullable Call call;
    private @Nullable String closeCause;
    private boolean usedBefore;
    private boolean closed;
    private long idleSinceNanos;

    UpstreamConnection(Worker worker, ConnectionPool pool, HttpDecoderConfig decoderConfig, Channel channel) {
        this.worker = worker;
        this.pool = pool;
        this.decoderConfig = decoderConfig;
        this.channel = channel;
    }

    Worker worker() {
        return worker;
    }

    long idleSinceNanos() {
        return idleSinceNanos;
    }

    void idleSinceNanos(long nanos) {
        idleSinceNanos = nanos;
    }

    boolean usable() {
        return !closed && channel.isActive();
    }

    void close() {
        channel.close();
    }

    /** Sends the request; takes its head over. */
    UpstreamCall send(UpstreamRequest request, UpstreamListener listener) {
        assert channel.eventLoop().inEventLoop() && call == null;
        ResponseHeadDecoder decoder = new ResponseHeadDecoder(decoderConfig);
        Call started = new Call(request.headRequest(), listener, usedBefore, decoder);
        call = started;
        usedBefore = true;
        channel.pipeline().addBefore(RELAY, HEAD_DECODER, decoder);
        ByteBuf body = request.body();
        if (body.isReadable()) {
            channel.write(request.head());
            writeBody(body).addListener((ChannelFutureListener) started::onWritten);
        } else {
            channel.writeAndFlush(request.head()).addListener((ChannelFutureListener) started::onWritten);
        }
        return started;
    }

    /**
     * A body in many slices is written slice by slice: as one composite with more of them than one system call takes, it would be
     * copied whole.
     */
    private ChannelFuture writeBody(ByteBuf body) {
        if (!(body instanceof CompositeByteBuf slices) || slices.numComponents() <= MAX_SLICES_AT_ONCE) {
            return channel.writeAndFlush(body.retainedDuplicate());
        }
        ChannelFuture last = channel.newSucceededFuture();
        for (ByteBuf slice : slices.decompose(slices.readerIndex(), slices.readableBytes())) {
            last = channel.write(slice.retain());
        }
        channel.flush();
        return last;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        Call current = call;
        if (msg instanceof HttpResponse response && current != null) {
            current.onResponse(response);
        } else if (msg instanceof ByteBuf bytes) {
            if (current != null && current.framing != null) {
                current.onBytes(bytes, current.framing);
            } else {
                onUnexpectedBytes(bytes);
            }
        } else {
            // The decoder's own end marker of a response without a body.
            ReferenceCountUtil.release(msg);
        }
    }

    private void onUnexpectedBytes(ByteBuf bytes) {
        boolean some = bytes.isReadable();
        bytes.release();
        if (some) {
            close();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        Call current = call;
        if (current != null && current.framing != null && !current.discarding) {
            current.listener.onReadComplete();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        closeCause = cause.toString();
        ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closed = true;
        pool.closed(this);
        Call current = call;
        if (current != null) {
            current.onClosed();
        }
    }

    /** The one call a connection serves at a time. */
    private final class Call implements UpstreamCall, BodyFraming.PayloadSink {
        private final boolean headRequest;
        private final UpstreamListener listener;
        private final boolean reused;
        private final ResponseHeadDecoder decoder;
        private @Nullable BodyFraming framing;
        private int interimHeads;
        private boolean keepAlive;
        private boolean written;
        private boolean discarding;
        private int discarded;

        Call(boolean headRequest, UpstreamListener listener, boolean reused, ResponseHeadDecoder decoder) {
            this.headRequest = headRequest;
            this.listener = listener;
            this.reused = reused;
            this.decoder = decoder;
        }

        void onWritten(io.netty.channel.ChannelFuture future) {
            // A failed write is no verdict yet: the worker may have answered early. The read side decides.
            written = future.isSuccess();
            if (!written && closeCause == null) {
                closeCause = String.valueOf(future.cause());
            }
        }

        void onResponse(HttpResponse response) {
            if (response.decoderResult().isFailure()) {
                Throwable fault = response.decoderResult().cause();
                // Cut off inside the head: no fault of its bytes; the end of the connection is told next.
                if (!(fault instanceof PrematureChannelClosureException)) {
                    fail(ErrorCode.UPSTREAM_PROTOCOL_ERROR, describe(fault));
                }
                return;
            }
            int status = response.status().code();
            if (status >= 100 && status < 200 && status != 101 && ++interimHeads <= MAX_INTERIM_HEADS) {
                return;
            }
            try {
                framing = ResponseFramingRule.framing(response, headRequest);
            } catch (BodyFraming.FramingException e) {
                fail(ErrorCode.UPSTREAM_PROTOCOL_ERROR, "bad response: " + e.getMessage());
                return;
            }
            keepAlive = ResponseFramingRule.keepAlive(response, framing);
            UpstreamHead head = new UpstreamHead(status, response.status().reasonPhrase(), response.headers(), framing);
            if (!discarding) {
                listener.onHead(head);
            }
            // Fires what the decoder holds beyond the head into channelRead, if this call still goes on.
            if (channel.pipeline().get(HEAD_DECODER) != null) {
                channel.pipeline().remove(HEAD_DECODER);
            }
            endIfComplete(framing, false);
        }

        void onBytes(ByteBuf bytes, BodyFraming body) {
            int readable = bytes.readableBytes();
            int own;
            try {
                own = body.advance(bytes, this);
            } catch (BodyFraming.FramingException e) {
                onFault(bytes, e);
                return;
            }
            if (discarding) {
                bytes.release();
                discarded += readable;
                if (discarded > MAX_DISCARD_BYTES) {
                    cancel();
                    return;
                }
            } else if (own == 0) {
                bytes.release();
            } else {
                listener.onBody(bytes.writerIndex(bytes.readerIndex() + own));
            }
            if (call == this) {
                endIfComplete(body, own < readable);
            }
        }

        /** What stands before the fault is passed on, so that the listener has all that the framing has advanced over. */
        private void onFault(ByteBuf bytes, BodyFraming.FramingException fault) {
            if (discarding || fault.goodBytes() == 0) {
                bytes.release();
            } else {
                listener.onBody(bytes.writerIndex(bytes.readerIndex() + fault.goodBytes()));
            }
            if (call == this) {
                fail(ErrorCode.UPSTREAM_PROTOCOL_ERROR, "bad response body: " + fault.getMessage());
            }
        }

        @Override
        public void payload(ByteBuf buf, int from, int length) {
            if (!discarding) {
                listener.onPayload(buf, from, length);
            }
        }

        private void endIfComplete(BodyFraming body, boolean excess) {
            if (!body.ended() || call != this) {
                return;
            }
            call = null;
            if (keepAlive && written && !excess && usable()) {
                channel.config().setAutoRead(true);
                pool.release(UpstreamConnection.this);
            } else {
                close();
            }
            if (!discarding) {
                listener.onEnd();
            }
        }

        void onClosed() {
            BodyFraming body = framing;
            if (body != null && body.kind() == BodyFraming.Kind.UNTIL_CLOSE && closeCause == null) {
                call = null;
                if (!discarding) {
                    listener.onEnd();
                }
                return;
            }
            call = null;
            if (discarding) {
                return;
            }
            boolean stale = reused && !decoder.anyByte();
            String cause = body == null ? "closed before the response head" : "closed before the end of the response";
            if (body != null && body.kind() == BodyFraming.Kind.LENGTH) {
                cause += ", " + body.missingBytes() + " bytes missing";
            }
            String detail = closeCause == null ? cause : cause + " (" + closeCause + ")";
            listener.onFailure(new UpstreamFailure(ErrorCode.UPSTREAM_RESET, "connection " + cause, detail, stale));
        }

        private void fail(ErrorCode code, String cause) {
            call = null;
            close();
            if (!discarding) {
                listener.onFailure(new UpstreamFailure(code, cause, cause, false));
            }
        }

        private String describe(@Nullable Throwable cause) {
            if (cause instanceof io.netty.handler.codec.http.TooLongHttpHeaderException) {
                return "response headers larger than --max-header-size";
            }
            return "response head is not HTTP/1.1";
        }

        @Override
        public void cancel() {
            if (call == this) {
                call = null;
                close();
            }
        }

        @Override
        public void discard() {
            if (call == this) {
                discarding = true;
                channel.config().setAutoRead(true);
                channel.eventLoop().schedule(this::cancel, MAX_DISCARD_MILLIS, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void reading(boolean on) {
            if (call == this) {
                channel.config().setAutoRead(on);
            }
        }
    }
}
