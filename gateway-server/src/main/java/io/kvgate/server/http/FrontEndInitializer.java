package io.kvgate.server.http;

import io.kvgate.core.error.GatewayException;
import io.kvgate.server.config.ListenConfig;
import io.kvgate.server.routing.LoopContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Builds the pipeline of each client connection, in the order of {@link PipelineNames}.
 *
 * <p>Threading: shared by all event loops.
 */
final class FrontEndInitializer extends ChannelInitializer<Channel> {
    private static final long LAST_WORDS_MILLIS = 1_000;

    private final FrontServices services;
    private final Dispatcher dispatcher;
    private final Map<EventLoop, LoopContext> contexts;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final HttpDecoderConfig decoderConfig;

    FrontEndInitializer(FrontServices services, Map<EventLoop, LoopContext> contexts) {
        this.services = services;
        this.contexts = contexts;
        dispatcher = new Dispatcher(services);
        decoderConfig = decoderConfig(services.listen());
    }

    static HttpDecoderConfig decoderConfig(ListenConfig listen) {
        return new HttpDecoderConfig()
                .setMaxInitialLineLength(listen.maxRequestLineBytes())
                .setMaxHeaderSize(listen.maxHeaderBytes())
                .setMaxChunkSize(65_536)
                .setAllowDuplicateContentLengths(false);
    }

    @Override
    protected void initChannel(Channel channel) {
        int limit = services.listen().maxConnections();
        if (limit > 0 && services.meters().connections() >= limit) {
            channel.close();
            return;
        }
        LoopContext loop = Objects.requireNonNull(contexts.get(channel.eventLoop()));
        channel.pipeline().addLast(PipelineNames.DECODER, new StrictRequestDecoder(decoderConfig));
        channel.pipeline().addLast(PipelineNames.CONNECTION, new ClientConnection(services, dispatcher, loop, channel));
        connections.add(channel);
    }

    /** Closes the connections that serve no request. */
    void closeIdle() {
        onEach(ClientConnection::closeWhenIdle);
    }

    /** Gives every request under way up with an error, and closes all connections once that is written, or a moment later. */
    void cutAll(GatewayException error) {
        onEach(connection -> connection.cut(error));
        connections.newCloseFuture().awaitUninterruptibly(LAST_WORDS_MILLIS);
        connections.close().awaitUninterruptibly();
    }

    private void onEach(Consumer<ClientConnection> action) {
        for (Channel channel : connections) {
            channel.eventLoop().execute(() -> {
                ClientConnection connection = channel.pipeline().get(ClientConnection.class);
                if (connection != null) {
                    action.accept(connection);
                }
            });
        }
    }
}
