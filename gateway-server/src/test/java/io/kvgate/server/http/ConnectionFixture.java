package io.kvgate.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.resilience.RetryPolicy;
import io.kvgate.core.time.FakeTicker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.policies.PolicyRegistry;
import io.kvgate.policies.PolicyServices;
import io.kvgate.policies.PolicySettings;
import io.kvgate.server.config.AdmissionConfig;
import io.kvgate.server.config.AuthConfig;
import io.kvgate.server.config.HeaderConfig;
import io.kvgate.server.config.ListenConfig;
import io.kvgate.server.config.ListenConfig.TransportChoice;
import io.kvgate.server.config.PoolConfig;
import io.kvgate.server.config.RoutingConfig.ModelRouting;
import io.kvgate.server.config.TimeoutConfig;
import io.kvgate.server.observability.AccessRecord;
import io.kvgate.server.routing.AttemptFailure;
import io.kvgate.server.routing.Exchange;
import io.kvgate.server.routing.LoopContext;
import io.kvgate.server.routing.RequestHeadEncoder;
import io.kvgate.server.routing.RequestRouter;
import io.kvgate.server.routing.RoutingMeters;
import io.kvgate.server.routing.RoutingServices;
import io.kvgate.server.routing.SingleWorkerRouter;
import io.kvgate.server.routing.WorkerSelector;
import io.kvgate.server.transport.Transport;
import io.kvgate.server.upstream.UpstreamClient;
import io.kvgate.server.upstream.UpstreamConnector;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One client connection without a socket, in front of a fleet without workers: what is dispatched is counted and answered 503, what
 * goes to {@link FakeControlPlane} is answered when the test says so. At its end nothing may be held any more.
 *
 * <p>Threading: the test's thread.
 */
final class ConnectionFixture implements AutoCloseable {
    static final int MAX_HEADER_BYTES = 4_096;
    static final int MAX_LINE_BYTES = 1_024;
    static final int MAX_PAYLOAD_BYTES = 1_000_000;
    static final Duration IDLE = Duration.ofSeconds(30);

    final FakeTicker ticker = new FakeTicker();
    final FakeControlPlane control = new FakeControlPlane();
    final List<AccessRecord> log = new ArrayList<>();
    final BodyBudget budget = new BodyBudget(8_000_000);
    final DrainFlag drain = new DrainFlag();
    final AdmissionGate admission;
    final EmbeddedChannel channel;
    private final HttpMeters meters;
    private final UpstreamConnector connector;
    private int dispatched;

    ConnectionFixture() {
        this(AdmissionConfig.DEFAULT, AuthConfig.NONE);
    }

    ConnectionFixture(AdmissionConfig admissionConfig, AuthConfig auth) {
        RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
        meters = new HttpMeters(metrics);
        admission = new AdmissionGate(admissionConfig, ticker, metrics);
        Transport transport = Transport.choose(TransportChoice.NIO);
        connector = new UpstreamConnector(transport, Duration.ofSeconds(1));
        channel = new EmbeddedChannel();
        channel.freezeTime();
        UpstreamClient upstream =
                new UpstreamClient(channel.eventLoop(), connector, PoolConfig.DEFAULT, MAX_HEADER_BYTES, ticker);
        FrontServices services = services(metrics, auth);
        LoopContext loop = new LoopContext(channel.eventLoop(), upstream);
        ClientConnection connection = new ClientConnection(services, new Dispatcher(services), loop, channel);
        HttpDecoderConfig decoder = FrontEndInitializer.decoderConfig(services.listen());
        channel.pipeline().addLast(new StrictRequestDecoder(decoder), connection);
    }

    private FrontServices services(RecordingMetricsRegistry metrics, AuthConfig auth) {
        SplitMixRandom random = new SplitMixRandom(1);
        ListenConfig listen = new ListenConfig(
                "127.0.0.1", 0, MAX_PAYLOAD_BYTES, MAX_HEADER_BYTES, MAX_LINE_BYTES, IDLE, 0, TransportChoice.NIO, 1);
        RoutingMeters routingMeters = new RoutingMeters(metrics);
        RoutingServices routing = new RoutingServices(
                new WorkerSelector(
                        new WorkerFleet().registry(),
                        new PolicyRegistry(
                                "random",
                                PolicySettings.DEFAULT,
                                new PolicyServices(random, ticker, new NoopMetricsRegistry())),
                        ModelRouting.ANY,
                        routingMeters),
                new RequestHeadEncoder(HeaderConfig.DEFAULT, auth),
                RetryPolicy.DEFAULT,
                TimeoutConfig.DEFAULT,
                routingMeters,
                ticker,
                random);
        return new FrontServices(
                listen,
                control,
                new CountingRouter(),
                routing,
                admission,
                new Authenticator(auth),
                new RequestIds(HeaderConfig.DEFAULT.requestIdHeaders(), random),
                new Cors(List.of()),
                budget,
                meters,
                new RequestLog(meters, log::add, ticker),
                Runnable::run,
                drain,
                ticker);
    }

    private final class CountingRouter implements RequestRouter {
        private final SingleWorkerRouter router = new SingleWorkerRouter();

        @Override
        public void route(Exchange exchange) {
            dispatched++;
            router.route(exchange);
        }

        @Override
        public void onAttemptFailed(Exchange exchange, AttemptFailure failure) {
            router.onAttemptFailed(exchange, failure);
        }
    }

    /** How many requests reached the router. */
    int dispatched() {
        return dispatched;
    }

    ConnectionFixture send(String bytes) {
        ByteBuf buf = Unpooled.copiedBuffer(bytes, ISO_8859_1);
        if (channel.isActive()) {
            channel.writeInbound(buf);
        } else {
            buf.release();
        }
        return this;
    }

    /** What was answered since it was asked last. */
    String answered() {
        channel.runPendingTasks();
        StringBuilder text = new StringBuilder();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            text.append(out.toString(ISO_8859_1));
            out.release();
        }
        return text.toString();
    }

    void pass(Duration time) {
        ticker.advance(time);
        channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
    }

    boolean open() {
        channel.runPendingTasks();
        return channel.isOpen();
    }

    boolean reading() {
        return channel.config().isAutoRead();
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
        connector.close();
        assertThat(budget.held()).as("body bytes").isZero();
        assertThat(meters.inflight()).as("requests in flight").isZero();
        assertThat(meters.connections()).as("connections").isZero();
        assertThat(admission.arrive(() -> {}).admission().name())
                .as("a permit is free")
                .isEqualTo("ADMITTED");
    }
}
