package io.kvgate.server.upstream;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.server.config.PoolConfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's door to the workers: a kept connection of that loop, or a new one.
 *
 * <p>Threading: confined to its event loop; {@link #removeWorker} and {@link #shutDown} may be called from any thread.
 */
public final class UpstreamClient {
    private final EventLoop loop;
    private final UpstreamConnector connector;
    private final ConnectionPool pool;
    private final HttpDecoderConfig decoderConfig;
    private final ScheduledFuture<?> sweeper;

    public UpstreamClient(
            EventLoop loop, UpstreamConnector connector, PoolConfig config, int maxHeaderBytes, Ticker ticker) {
        this.loop = loop;
        this.connector = connector;
        pool = new ConnectionPool(config, ticker, connector.counts());
        decoderConfig = new HttpDecoderConfig()
                .setMaxInitialLineLength(8_192)
                .setMaxHeaderSize(maxHeaderBytes)
                .setMaxChunkSize(65_536)
                .setChunkedSupported(true);
        long sweepNanos = Math.max(config.idleTimeout().toNanos() / 4, 50_000_000L);
        sweeper = loop.scheduleWithFixedDelay(pool::sweep, sweepNanos, sweepNanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Sends a request on a kept or a new connection; takes the request's head over. The listener may be told of a failure before
     * this returns.
     *
     * @param fresh true: only on a new connection
     */
    public UpstreamCall call(Worker worker, UpstreamRequest request, UpstreamListener listener, boolean fresh) {
        assert loop.inEventLoop();
        UpstreamConnection kept = fresh ? null : pool.acquire(worker);
        if (kept != null) {
            return kept.send(request, listener);
        }
        Connecting connecting = new Connecting(worker, request, listener);
        connecting.start();
        return connecting;
    }

    /** How many unused connections to the worker are kept. */
    int idle(Worker worker) {
        assert loop.inEventLoop();
        return pool.idle(worker);
    }

    /** Closes the worker's connections; calls under way fail as reset. */
    public void removeWorker(Worker worker) {
        loop.execute(() -> pool.removeWorker(worker));
    }

    /** Closes every connection. */
    public void shutDown() {
        loop.execute(() -> {
            sweeper.cancel(false);
            pool.shutDown();
        });
    }

    /** A call whose connection is being made: resolves, tries each address in turn, then hands over to the connection. */
    private final class Connecting implements UpstreamCall {
        private final Worker worker;
        private final UpstreamRequest request;
        private final UpstreamListener listener;
        private @Nullable ChannelFuture pending;
        private @Nullable UpstreamCall sent;
        private boolean over;

        Connecting(Worker worker, UpstreamRequest request, UpstreamListener listener) {
            this.worker = worker;
            this.request = request;
            this.listener = listener;
        }

        void start() {
            connector.resolve(worker.spec().url(), loop).addListener((Future<List<InetSocketAddress>> resolved) -> {
                if (over) {
                    return;
                }
                if (resolved.isSuccess()) {
                    tryAddress(resolved.getNow(), 0);
                } else {
                    fail(ErrorCode.UPSTREAM_CONNECT_ERROR, "its host name can't be resolved", resolved.cause());
                }
            });
        }

        private void tryAddress(List<InetSocketAddress> addresses, int index) {
            Bootstrap bootstrap = connector.bootstrap(loop, worker.spec().url());
            ChannelFuture connect = bootstrap.connect(addresses.get(index));
            pending = connect;
            connect.addListener(future -> onConnect(connect, addresses, index));
        }

        private void onConnect(ChannelFuture connect, List<InetSocketAddress> addresses, int index) {
            if (over) {
                connect.channel().close();
            } else if (!connect.isSuccess() && index + 1 < addresses.size()) {
                tryAddress(addresses, index + 1);
            } else if (!connect.isSuccess()) {
                fail(connect.cause());
            } else {
                connector.secured(connect.channel()).addListener(secured -> {
                    if (over) {
                        connect.channel().close();
                    } else if (secured.isSuccess()) {
                        handOver(connect.channel());
                    } else {
                        connect.channel().close();
                        fail(ErrorCode.UPSTREAM_CONNECT_ERROR, "TLS handshake failed", secured.cause());
                    }
                });
            }
        }

        private void handOver(Channel channel) {
            over = true;
            UpstreamConnection connection = new UpstreamConnection(worker, pool, decoderConfig, channel);
            channel.pipeline().addLast(UpstreamConnection.RELAY, connection);
            pool.opened(connection);
            sent = connection.send(request, listener);
            if (!channel.isActive()) {
                // Closed before the handler was there to be told.
                connection.channelInactive(channel.pipeline().lastContext());
            }
        }

        private void fail(@Nullable Throwable cause) {
            if (cause instanceof ConnectTimeoutException) {
                fail(ErrorCode.UPSTREAM_CONNECT_TIMEOUT, "connecting took longer than --connect-timeout-secs", cause);
            } else {
                fail(ErrorCode.UPSTREAM_CONNECT_ERROR, "connection refused or unreachable", cause);
            }
        }

        private void fail(ErrorCode code, String cause, @Nullable Throwable thrown) {
            over = true;
            ReferenceCountUtil.release(request.head());
            listener.onFailure(new UpstreamFailure(code, cause, String.valueOf(thrown), false));
        }

        @Override
        public void cancel() {
            if (sent != null) {
                sent.cancel();
            } else if (!over) {
                over = true;
                ReferenceCountUtil.release(request.head());
                if (pending != null) {
                    pending.cancel(false);
                }
            }
        }

        @Override
        public void discard() {
            if (sent != null) {
                sent.discard();
            } else {
                cancel();
            }
        }

        @Override
        public void reading(boolean on) {
            if (sent != null) {
                sent.reading(on);
            }
        }
    }
}
