package io.kvgate.server;

import io.kvgate.core.agent.AgentRunner;
import io.kvgate.core.health.HealthMonitor;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.policies.PolicyRegistry;
import io.kvgate.policies.PolicyServices;
import io.kvgate.server.admin.AdminRoutes;
import io.kvgate.server.admin.ReadinessCheck;
import io.kvgate.server.admin.StoredResponseRoutes;
import io.kvgate.server.config.GatewayConfig;
import io.kvgate.server.discovery.StaticDiscovery;
import io.kvgate.server.discovery.WorkerDiscovery;
import io.kvgate.server.http.BodyBudget;
import io.kvgate.server.http.ControlPlane;
import io.kvgate.server.http.ControlRoute;
import io.kvgate.server.http.HttpFrontEnd;
import io.kvgate.server.monitor.HttpHealthProbe;
import io.kvgate.server.monitor.LoadMonitor;
import io.kvgate.server.monitor.LoadReader;
import io.kvgate.server.monitor.WorkerHttp;
import io.kvgate.server.monitor.WorkerMetadataProbe;
import io.kvgate.server.observability.AccessLog;
import io.kvgate.server.observability.MetricsServer;
import io.kvgate.server.observability.PrometheusMetricsRegistry;
import io.kvgate.server.routing.LoopContext;
import io.kvgate.server.routing.PolicyUpkeep;
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
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway, and the one place where its parts are made and connected. Read it top to bottom to know what there is.
 *
 * <p>Threading: any thread.
 */
public final class Gateway implements GatewayMain.RunningGateway {
    private static final Logger log = LoggerFactory.getLogger(Gateway.class);
    private static final Duration ENGINE_ANSWER = Duration.ofSeconds(5);
    private static final Duration METADATA_PAUSE = Duration.ofSeconds(1);
    private static final long DRAIN_CHECK_MILLIS = 20;

    private final GatewayConfig config;
    private final Ticker ticker = Ticker.system();
    private final SplitMixRandom random = new SplitMixRandom(new SecureRandom().nextLong());
    private final PrometheusMetricsRegistry metrics;
    private final MetricsServer metricsServer;
    private final Transport transport;
    private final EventLoopGroup loops;
    private final ExecutorService parsing =
            Executors.newFixedThreadPool(1, new DefaultThreadFactory("kvgate-parse", true));
    private final UpstreamConnector connector;
    private final Map<EventLoop, LoopContext> contexts = new LinkedHashMap<>();
    private final WorkerRegistry registry;
    private final PolicyRegistry policies;
    private final WorkerHttp workerHttp;
    private final AgentRunner health;
    private final AgentRunner load;
    private final AgentRunner upkeep;
    private final WorkerDiscovery discovery;
    private final ReadinessCheck readiness;
    private final HttpFrontEnd frontEnd;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    private Gateway(GatewayConfig config) throws IOException {
        this.config = config;
        metrics = new PrometheusMetricsRegistry(config.metrics());
        metricsServer = MetricsServer.start(config.metrics(), metrics);

        transport = Transport.choose(config.listen().transport());
        loops = new MultiThreadIoEventLoopGroup(
                eventLoops(config), new DefaultThreadFactory("kvgate-loop", true), transport.ioHandler());

        registry = new WorkerRegistry(config.breaker(), ticker, metrics);
        policies = new PolicyRegistry(
                config.routing().policy(), config.routing().policies(), new PolicyServices(random, ticker, metrics));
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

        workerHttp = new WorkerHttp(config.timeouts().connect());
        WorkerMetadataProbe metadata = new WorkerMetadataProbe(registry, workerHttp, METADATA_PAUSE);
        HttpHealthProbe probe = new HttpHealthProbe(workerHttp, metadata);
        health = new AgentRunner(
                new HealthMonitor(registry, probe, config.registration().startupTimeout(), random, metrics), ticker);
        LoadReader loads = new LoadReader(registry, workerHttp, ticker, ENGINE_ANSWER);
        load = new AgentRunner(
                new LoadMonitor(
                        registry, loads, metrics, config.registration().loadPollInterval(), policies::usesEngineLoad),
                ticker);
        upkeep = new AgentRunner(new PolicyUpkeep(policies), ticker);
        discovery = new StaticDiscovery(config.staticWorkers(), metrics);

        readiness = new ReadinessCheck(registry, metrics);
        AdminRoutes admin = new AdminRoutes(
                new AdminRoutes.Parts(registry, workerHttp, loads, readiness, config.health(), metrics, ticker));
        StoredResponseRoutes stored =
                new StoredResponseRoutes(registry, workerHttp, config.auth().apiKey() == null);
        ControlPlane control = path -> {
            ControlRoute route = admin.route(path);
            return route == null ? stored.route(path) : route;
        };
        frontEnd = new HttpFrontEnd(config, loops, transport, contexts, bodyBudget(config), behind(control));
    }

    private static int eventLoops(GatewayConfig config) {
        int wanted = config.listen().eventLoops();
        return wanted > 0 ? wanted : Runtime.getRuntime().availableProcessors();
    }

    private static BodyBudget bodyBudget(GatewayConfig config) {
        long wanted = config.admission().maxBufferedBodyBytes();
        return new BodyBudget(wanted > 0 ? wanted : PlatformDependent.maxDirectMemory() / 2);
    }

    private HttpFrontEnd.Behind behind(ControlPlane control) {
        RoutingMeters meters = new RoutingMeters(metrics);
        RoutingServices routing = new RoutingServices(
                new WorkerSelector(registry, policies, config.routing().modelRouting(), meters),
                new RequestHeadEncoder(config.headers(), config.auth()),
                config.retry(),
                config.timeouts(),
                meters,
                ticker,
                random);
        AccessLog accessLog = new AccessLog(config.log());
        return new HttpFrontEnd.Behind(
                control, new SingleWorkerRouter(), routing, metrics, accessLog::log, parsing, ticker, random);
    }

    /**
     * Starts a gateway; it listens when this returns, and takes its workers in beside.
     *
     * @throws IOException an address can't be bound; the message names the flag
     */
    public static Gateway start(GatewayConfig config) throws IOException {
        Gateway gateway = new Gateway(config);
        try {
            gateway.frontEnd.bind();
        } catch (IOException e) {
            gateway.release();
            throw e;
        }
        gateway.discovery.start(gateway.registry);
        gateway.health.start();
        gateway.load.start();
        gateway.upkeep.start();
        log.info(
                "{} event loops on {}, policy {}",
                eventLoops(config),
                gateway.transport.name(),
                gateway.policies.config().name());
        return gateway;
    }

    @Override
    public int port() {
        return frontEnd.port();
    }

    @Override
    public int metricsPort() {
        return metricsServer.port();
    }

    @Override
    public void awaitShutdown() throws InterruptedException {
        closed.await();
    }

    private void onWorkerEvent(WorkerEvent event) {
        if (event instanceof WorkerEvent.Removed removed) {
            contexts.values().forEach(context -> context.upstream().removeWorker(removed.worker()));
        }
    }

    /**
     * Ends gracefully: first readiness says no while requests are still taken; then no connection is taken any more and what runs
     * may finish within the grace period; then the rest is cut. Returns when all is over; a second caller waits as well.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            awaitClosed(Long.MAX_VALUE);
            return;
        }
        readiness.hold(ReadinessCheck.Hold.DRAINING);
        frontEnd.drain();
        log.info("shutting down: not ready from now on, {} requests in flight", frontEnd.requestsInFlight());
        awaitClosed(config.shutdown().settle().toMillis());
        frontEnd.stopAccepting();
        awaitRequests(config.shutdown().grace());
        long cut = frontEnd.requestsInFlight();
        if (cut > 0) {
            log.warn("shutting down: grace period over, {} requests are cut", cut);
        }
        release();
        log.info("shut down");
        closed.countDown();
    }

    private void awaitRequests(Duration grace) {
        long deadline = ticker.nanos() + grace.toNanos();
        while (frontEnd.requestsInFlight() > 0 && deadline - ticker.nanos() > 0) {
            awaitClosed(DRAIN_CHECK_MILLIS);
        }
    }

    private void release() {
        discovery.close();
        upkeep.close();
        load.close();
        health.close();
        frontEnd.closeConnections();
        contexts.values().forEach(context -> context.upstream().shutDown());
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        parsing.shutdown();
        connector.close();
        workerHttp.close();
        metricsServer.close();
        metrics.close();
    }

    /** Waits for the end, or for that long; an interrupt ends the wait and stays set. */
    private void awaitClosed(long millis) {
        try {
            if (closed.await(millis, TimeUnit.MILLISECONDS)) {
                log.debug("closed by another thread");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
