package io.kvgate.server.upstream;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.core.time.FakeTicker;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.server.config.ListenConfig.TransportChoice;
import io.kvgate.server.config.PoolConfig;
import io.kvgate.server.transport.Transport;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers that are given by name: reports of names that are resolved once for ever, and of one dead address among two. */
final class NameResolutionTest {
    private final Transport transport = Transport.choose(TransportChoice.AUTO);
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.ioHandler());
    private final EventLoop loop = group.next();

    @AfterEach
    void stop() {
        assertThat(group.shutdownGracefully(0, 5, SECONDS).awaitUninterruptibly(10, SECONDS))
                .isTrue();
    }

    private UpstreamConnector connector(NameServer names) {
        DnsNameResolverBuilder dns = new DnsNameResolverBuilder()
                .nameServerProvider(new SingletonDnsServerAddressStreamProvider(names.address()))
                .searchDomains(List.of());
        return new UpstreamConnector(transport, Duration.ofSeconds(2), dns);
    }

    private List<String> resolve(UpstreamConnector connector) throws Exception {
        return connector.resolve(URI.create("http://w.test:8001"), loop).get(10, SECONDS).stream()
                .map(InetSocketAddress::getAddress)
                .map(java.net.InetAddress::getHostAddress)
                .toList();
    }

    @Test
    void report059_recordThatExpired_isAskedForAgain() throws Exception {
        try (NameServer names = new NameServer(1, "127.0.0.2");
                UpstreamConnector connector = connector(names)) {
            assertThat(resolve(connector)).containsExactly("127.0.0.2");
            names.answer("127.0.0.3");
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> resolve(connector).equals(List.of("127.0.0.3")));
        }
    }

    @Test
    void report059_oneOfTwoAddressesDead_theOtherIsUsed() throws Exception {
        try (RawWorker raw = new RawWorker();
                NameServer names = new NameServer(60, "127.0.0.2", "127.0.0.1");
                UpstreamConnector connector = connector(names)) {
            UpstreamClient client = new UpstreamClient(
                    loop, connector, new PoolConfig(Duration.ofSeconds(4), 2), 8_192, new FakeTicker());
            Worker worker = new WorkerFleet()
                    .add(WorkerSpec.of(URI.create("http://w.test:" + raw.url().getPort())));
            RecordingListener told = new RecordingListener();
            UpstreamRequest request = new UpstreamRequest(
                    Unpooled.copiedBuffer("GET / HTTP/1.1\r\nhost: w\r\n\r\n", StandardCharsets.US_ASCII),
                    Unpooled.EMPTY_BUFFER,
                    false);
            loop.submit(() -> client.call(worker, request, told, false)).get(10, SECONDS);
            RawWorker.Peer peer = raw.accept();
            peer.readHead();
            peer.write(UpstreamFixture.OK);
            told.awaitEnd();
            assertThat(told.raw()).isEqualTo("ok");
            client.shutDown();
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> connector.counts().open() == 0);
        }
    }
}
