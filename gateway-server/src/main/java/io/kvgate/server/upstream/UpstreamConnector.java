package io.kvgate.server.upstream;

import io.kvgate.server.transport.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLException;

/**
 * How connections to workers are made: resolving (names are resolved again when their DNS record expires), TLS for
 * {@code https}, socket options.
 *
 * <p>Threading: immutable; shared by all event loops.
 */
public final class UpstreamConnector implements AutoCloseable {
    private final Transport transport;
    private final Duration connectTimeout;
    private final SslContext tls;
    private final DnsAddressResolverGroup resolvers;
    private final UpstreamCounts counts = new UpstreamCounts();

    /** @param connectTimeout zero: the system's own limit */
    public UpstreamConnector(Transport transport, Duration connectTimeout) {
        this(transport, connectTimeout, new DnsNameResolverBuilder());
    }

    /** As the other, asking the name servers that the builder is set to. */
    UpstreamConnector(Transport transport, Duration connectTimeout, DnsNameResolverBuilder dns) {
        this.transport = transport;
        this.connectTimeout = connectTimeout;
        try {
            tls = SslContextBuilder.forClient()
                    .endpointIdentificationAlgorithm("HTTPS")
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS: no client context", e);
        }
        resolvers = new DnsAddressResolverGroup(
                dns.datagramChannelType(transport.datagram()).ttl(1, 30));
    }

    public UpstreamCounts counts() {
        return counts;
    }

    Future<List<InetSocketAddress>> resolve(URI url, EventLoop loop) {
        String host = bareHost(url);
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
        if (literal != null) {
            return loop.newSucceededFuture(List.of(new InetSocketAddress(host, url.getPort())));
        }
        return resolvers
                .getResolver(loop)
                .resolveAll(InetSocketAddress.createUnresolved(host.toLowerCase(Locale.ROOT), url.getPort()));
    }

    Bootstrap bootstrap(EventLoop loop, URI url) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(transport.client())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                // A worker that answers before it has read all must still be heard when the write fails.
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(32_768, 65_536))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (url.getScheme().equals("https")) {
                            channel.pipeline()
                                    .addLast("tls", tls.newHandler(channel.alloc(), bareHost(url), url.getPort()));
                        }
                    }
                });
        if (!connectTimeout.isZero()) {
            bootstrap.option(
                    ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(connectTimeout.toMillis(), Integer.MAX_VALUE));
        }
        return bootstrap;
    }

    /** Done when the channel may be written to: at once without TLS, else after the handshake. */
    Future<Channel> secured(Channel channel) {
        SslHandler handler = channel.pipeline().get(SslHandler.class);
        if (handler != null) {
            return handler.handshakeFuture();
        }
        Promise<Channel> done = channel.eventLoop().newPromise();
        return done.setSuccess(channel);
    }

    private static String bareHost(URI url) {
        String host = url.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    @Override
    public void close() {
        resolvers.close();
    }
}
