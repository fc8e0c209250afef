package io.kvgate.bench.engine.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.time.Duration;

/** Builds the pipeline of a connection and adds it to the engine's open connections. */
public final class EngineInitializer extends ChannelInitializer<Channel> {
    private static final int MAX_LINE_BYTES = 16_384;
    private static final int MAX_HEADER_BYTES = 65_536;
    private static final int MAX_CHUNK_BYTES = 65_536;
    private static final int MAX_BODY_BYTES = 256 << 20;

    private final EngineCore core;
    private final ChannelGroup connections;
    private final Duration keepAlive;

    public EngineInitializer(EngineCore core, ChannelGroup connections, Duration keepAlive) {
        this.core = core;
        this.connections = connections;
        this.keepAlive = keepAlive;
    }

    @Override
    protected void initChannel(Channel channel) {
        connections.add(channel);
        core.counters.countConnection();
        KeepAliveTimeout timeout = new KeepAliveTimeout(keepAlive);
        channel.pipeline()
                .addLast("keepAlive", timeout)
                .addLast("http", new HttpServerCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_CHUNK_BYTES))
                .addLast("body", new HttpObjectAggregator(MAX_BODY_BYTES))
                .addLast("engine", new EngineHandler(core, timeout));
    }
}
