package io.kvgate.server;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.policies.PolicyRegistry;
import io.kvgate.server.config.GatewayConfig;
import io.kvgate.server.http.BodyBudget;
import io.kvgate.server.http.HttpFrontEnd;
import io.kvgate.server.routing.LoopContext;
import io.kvgate.server.routing.RequestHeadEncoder;
import io.kvgate.server.routing.RoutingMeters;
import io.kvgate.server.routing.RoutingServices;
import io.kvgate.server.routing.SingleWorkerRouter;
import io.kvgate.server.routing.WorkerSelector;
import io.kvgate.server.transport.Transport;
import io.kvgate.server.upstream.UpstreamClient;
import io.kvgate.server.upstream.UpstreamConnector;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Draft. */
public final class Gateway implements AutoCloseable {
    private final GatewayConfig config;
    private final Ticker ticker = Ticker.system();
    private final EventLoopGroup loops;
    private final UpstreamConnector connector;
    private final Map<EventLoop, LoopContext> contexts = new LinkedHashMap<>();
    private final ExecutorService parsing =
            Executors.newFixedThreadPool(1, new DefaultThreadFactory("kvgate-parse", true));
    private final WorkerRegistry registry;
    private final HttpFrontEnd frontEnd;

    private Gateway(GatewayConfig config) {
        this.config = config;
        MetricsRegistry metrics = new NoopMetricsRegistry();
        SplitMixRandom random = new SplitMixRandom(new SecureRandom().nextLong());
        Transport transport = Transport.choose(config.listen().transport());
        int threads = config.listen().eventLoops() > 0
                ? config.listen().eventLoops()
                : Runtime.getRuntime().availableProcessors();
        loops = new MultiThreadIoEventLoopGroup(
                threads, new DefaultThreadFactory("kvgate-loop", true), transport.ioHandler());
        registry = new WorkerRegistry(config.breaker(), ticker, metrics);
        PolicyRegistry policies = new PolicyRegistry(config.routing().policy(), random);
        registry.subscribe(policies::onWorkerEvent);
        connector = new UpstreamConnector(transport, config.timeouts().connect());
        metrics.observe(
                GatewayMeter.WORKER_CONNECTIONS_ACTIVE, () -> connector.counts().open(), "regular", "http");
        for (EventExecutor executor : loops) {
            EventLoop loop = (EventLoop) executor;
            UpstreamClient upstream = new UpstreamClient(
                    loop, connector, config.pool(), config.listen().maxHeaderBytes(), ticker);
            contexts.put(loop, new LoopContext(loop, upstream));
        }
        registry.subscribe(this::onWorkerEvent);
        RoutingMeters meters = new RoutingMeters(metrics);
        RoutingServices routing = new RoutingServices(
                new WorkerSelector(registry, policies, config.routing().modelRouting(), meters),
                new RequestHeadEncoder(config.headers(), config.auth()),
                config.retry(),
                config.timeouts(),
                meters,
                ticker,
                random);
        long budget = config.admission().maxBufferedBodyBytes();
        frontEnd = new HttpFrontEnd(
                config,
                loops,
                transport,
                contexts,
                new BodyBudget(budget > 0 ? budget : PlatformDependent.maxDirectMemory() / 2),
                new HttpFrontEnd.Behind(
                        path -> null, new SingleWorkerRouter(), routing, metrics, r -> {}, parsing, ticker, random));
    }

    public static Gateway start(GatewayConfig config) throws IOException {
        Gateway gateway = new Gateway(config);
        try {
            gateway.frontEnd.bind();
        } catch (IOException e) {
            gateway.close();
            throw e;
        }
        for (WorkerSpec spec : config.staticWorkers()) {
            gateway.registry.setStatus(gateway.registry.add(spec), WorkerStatus.READY, "");
        }
        return gateway;
    }

    public int port() {
        return frontEnd.port();
    }

    private void onWorkerEvent(WorkerEvent event) {
        if (event instanceof WorkerEvent.Removed removed) {
            contexts.values().forEach(context -> context.upstream().removeWorker(removed.worker()));
        }
    }

    @Override
    public void close() {
        frontEnd.stopAccepting();
        frontEnd.closeConnections();
        contexts.values().forEach(context -> context.upstream().shutDown());
        parsing.shutdownNow();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        connector.close();
        assert config != null;
    }
}
