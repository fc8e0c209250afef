package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.time.Ticker;
import io.kvgate.server.config.GatewayConfig;
import io.kvgate.server.observability.AccessRecord;
import io.kvgate.server.routing.LoopContext;
import io.kvgate.server.routing.RequestRouter;
import io.kvgate.server.routing.RoutingServices;
import io.kvgate.server.transport.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The listener for clients.
 *
 * <p>Threading: any thread.
 */
public final class HttpFrontEnd {
    private static final int BACKLOG = 4_096;

    private final GatewayConfig config;
    private final EventLoopGroup loops;
    private final Transport transport;
    private final DrainFlag drain = new DrainFlag();
    private final HttpMeters meters;
    private final FrontEndInitializer initializer;
    private @Nullable Channel listener;

    /**
     * What the front end hands requests to.
     *
     * @param control the gateway's own API
     * @param router the way of inference requests
     * @param routing what they use
     * @param metrics where counts go
     * @param accessLog where lines go
     * @param parsing where large bodies are parsed
     * @param ticker the clock
     * @param random for request ids
     */
    public record Behind(
            ControlPlane control,
            RequestRouter router,
            RoutingServices routing,
            MetricsRegistry metrics,
            Consumer<AccessRecord> accessLog,
            Executor parsing,
            Ticker ticker,
            RandomGenerator random) {}

    public HttpFrontEnd(
            GatewayConfig config,
            EventLoopGroup loops,
            Transport transport,
            Map<EventLoop, LoopContext> contexts,
            BodyBudget budget,
            Behind behind) {
        this.config = config;
        this.loops = loops;
        this.transport = transport;
        meters = new HttpMeters(behind.metrics());
        behind.metrics().observe(GatewayMeter.BODY_BYTES_BUFFERED, budget::held);
        FrontServices services = new FrontServices(
                config.listen(),
                behind.control(),
                behind.router(),
                behind.routing(),
                new AdmissionGate(config.admission(), behind.ticker(), behind.metrics()),
                new Authenticator(config.auth()),
                new RequestIds(config.headers().requestIdHeaders(), behind.random()),
                new Cors(config.headers().corsAllowedOrigins()),
                budget,
                meters,
                new RequestLog(meters, behind.accessLog(), behind.ticker()),
                behind.parsing(),
                drain,
                behind.ticker());
        initializer = new FrontEndInitializer(services, contexts);
    }

    /** Begins to take connections. @throws IOException the address can't be bound */
    public void bind() throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(transport.server())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(32_768, 65_536))
                .childHandler(initializer);
        ChannelFuture bound = bootstrap
                .bind(new InetSocketAddress(
                        config.listen().host(), config.listen().port()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "--host " + config.listen().host() + " --port "
                            + config.listen().port() + ": can't listen: "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        listener = bound.channel();
    }

    /** The port it listens on. */
    public int port() {
        return ((InetSocketAddress)
                        Objects.requireNonNull(listener, "not bound").localAddress())
                .getPort();
    }

    /** Answers from now on end their connection, so that clients move away. */
    public void drain() {
        drain.drain();
    }

    /** Stops taking connections, and closes the unused ones. */
    public void stopAccepting() {
        drain();
        if (listener != null) {
            listener.close().awaitUninterruptibly();
        }
        initializer.closeIdle();
    }

    /** Requests that have not ended. */
    public long requestsInFlight() {
        return meters.inflight();
    }

    /** Gives up what is under way, with an error, and closes every connection. */
    public void closeConnections() {
        initializer.cutAll(new GatewayException(ErrorCode.SHUTTING_DOWN, "the gateway is shutting down"));
    }
}
