package io.kvgate.bench.engine;

import io.kvgate.bench.engine.driver.EngineRanks;
import io.kvgate.bench.engine.driver.RankSettings;
import io.kvgate.bench.engine.fault.Faults;
import io.kvgate.bench.engine.http.EngineCore;
import io.kvgate.bench.engine.http.EngineCounters;
import io.kvgate.bench.engine.http.EngineInitializer;
import io.kvgate.bench.engine.http.ReceivedRequest;
import io.kvgate.bench.engine.model.BlockPoolListener;
import io.kvgate.bench.engine.model.ModelStats;
import io.kvgate.bench.engine.page.EngineIdentity;
import io.kvgate.core.time.Ticker;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One engine behind a socket of 127.0.0.1: answers as vLLM or SGLang would, in the time the model says, and fails as
 * its {@link #faults} say.
 *
 * <p>Threading: has one event loop thread of its own, which alone touches the model and the connections. Every method
 * may be called from any other thread; those that ask the loop wait for it.
 */
public final class SimulatedEngine implements AutoCloseable {
    private static final int BACKLOG = 1_024;
    private static final int REBIND_ATTEMPTS = 200;
    private static final long REBIND_PAUSE_MILLIS = 10;

    private final SimulatedEngineConfig config;
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final ChannelGroup connections;
    private final EngineRanks ranks;
    private final EngineCore core;
    private final EngineCounters counters;
    private final Faults faults = new Faults();

    /** Written by the thread that opens or closes the listener, one at a time. */
    private volatile @Nullable Channel listener;

    private volatile int port;
    private volatile boolean wasListening;

    private SimulatedEngine(
            SimulatedEngineConfig config, Ticker ticker, Clock clock, IntFunction<BlockPoolListener> listeners) {
        this.config = config;
        this.port = config.port();
        this.group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("simulated-engine", true), NioIoHandler.newFactory());
        this.loop = group.next();
        this.connections = new DefaultChannelGroup(loop);
        this.counters = new EngineCounters(config.keptRequests());
        RankSettings settings = new RankSettings(config.profile(), config.dpSize(), config.seed(), config.speedup());
        this.ranks = new EngineRanks(settings, loop, ticker, listeners);
        EngineIdentity identity = new EngineIdentity(
                config.flavour(),
                config.models(),
                config.profile(),
                config.dpSize(),
                clock.instant().getEpochSecond());
        this.core = new EngineCore(identity, ranks, faults, counters, clock, config.apiKey());
    }

    /** Starts an engine; it answers when this returns. */
    public static SimulatedEngine start(SimulatedEngineConfig config) {
        return start(config, Ticker.system(), Clock.systemUTC(), rank -> BlockPoolListener.none());
    }

    /**
     * Starts an engine.
     *
     * @param listeners gives a listener for the cache of each data-parallel rank, anew at each restart
     */
    public static SimulatedEngine start(
            SimulatedEngineConfig config, Ticker ticker, Clock clock, IntFunction<BlockPoolListener> listeners) {
        SimulatedEngine engine = new SimulatedEngine(config, ticker, clock, listeners);
        try {
            engine.startListening();
        } catch (RuntimeException e) {
            engine.close();
            throw e;
        }
        return engine;
    }

    public SimulatedEngineConfig config() {
        return config;
    }

    public int port() {
        return port;
    }

    /** {@code http://127.0.0.1:PORT}, without a slash at the end. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** The knobs. */
    public Faults faults() {
        return faults;
    }

    /** What the HTTP side has counted. */
    public EngineCounters counters() {
        return counters;
    }

    /** Requests whose body has arrived, on this path. */
    public long requestsReceived(String path) {
        return counters.received(path);
    }

    /** Inference requests whose client left before the end of the answer. */
    public long clientsGone() {
        return counters.clientsGone();
    }

    /** Inference requests that are neither answered nor given up. */
    public int inFlight() {
        return counters.inFlight();
    }

    /** The last requests, oldest first, as many as the configuration keeps. */
    public List<ReceivedRequest> lastRequests() {
        return counters.lastRequests();
    }

    /** Connections that are open. */
    public int openConnections() {
        return connections.size();
    }

    /** One reading of the model per data-parallel rank. */
    public List<ModelStats> stats() {
        return onLoop(ranks::stats);
    }

    /** Requests in the running batches of all ranks. */
    public int running() {
        return stats().stream().mapToInt(ModelStats::running).sum();
    }

    /** Requests that wait for admission, over all ranks. */
    public int waiting() {
        return stats().stream().mapToInt(ModelStats::waiting).sum();
    }

    /** Refuses new connections from now on; those that are open stay. */
    public void stopListening() {
        Channel open = listener;
        if (open != null) {
            open.close().syncUninterruptibly();
            // NIO closes a listener's socket only after a further select; until then it would still take connections.
            for (int i = 0; i < 2; i++) {
                open.eventLoop().schedule(() -> {}, 1, TimeUnit.MILLISECONDS).syncUninterruptibly();
            }
            listener = null;
        }
    }

    /** Takes connections again, on the port it had. */
    public void startListening() {
        if (listener != null) {
            return;
        }
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new EngineInitializer(core, connections, config.keepAlive()));
        Channel opened = bind(bootstrap);
        port = ((InetSocketAddress) opened.localAddress()).getPort();
        listener = opened;
        wasListening = true;
    }

    /** Binds; a port this engine had before is tried for a while, as a closed one is free only after a next select. */
    private Channel bind(ServerBootstrap bootstrap) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        for (int i = 0; i < REBIND_ATTEMPTS && wasListening && !bound.isSuccess(); i++) {
            loop.schedule(() -> {}, REBIND_PAUSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
            bound = bootstrap.bind(address).awaitUninterruptibly();
        }
        return bound.syncUninterruptibly().channel();
    }

    /** Resets every open connection and drops its request; cache and listener stay. */
    public void resetConnections() {
        onLoop(() -> {
                    core.dropAll();
                    for (Channel channel : connections) {
                        channel.config().setOption(ChannelOption.SO_LINGER, 0);
                    }
                    return connections.close();
                })
                .syncUninterruptibly();
    }

    /** Dies: refuses connections, resets the open ones, forgets requests, cache and the model's counts. */
    public void crash() {
        stopListening();
        resetConnections();
        onLoop(() -> {
            ranks.restart();
            return true;
        });
    }

    /** Dies and comes back on the same port with an empty cache. */
    public void restart() {
        crash();
        startListening();
    }

    /** Ends the engine and its thread; may be called again. */
    @Override
    public void close() {
        if (group.isShuttingDown()) {
            return;
        }
        stopListening();
        onLoop(() -> {
            core.dropAll();
            ranks.stop();
            return true;
        });
        connections.close().syncUninterruptibly();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private <T> T onLoop(Callable<T> task) {
        if (loop.inEventLoop()) {
            throw new IllegalStateException("thread: the event loop (expected: any other, this call waits for it)");
        }
        try {
            return loop.submit(task).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the engine", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the engine failed", e.getCause());
        }
    }
}
