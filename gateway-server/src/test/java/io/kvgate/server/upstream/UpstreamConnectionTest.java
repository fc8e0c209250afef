package io.kvgate.server.upstream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.time.FakeTicker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.server.config.PoolConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import org.junit.jupiter.api.Test;

final class UpstreamConnectionTest {
    /** Stands where TLS stands: what comes from the wire is not HTTP yet. */
    private static final class Flipping extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf bytes = (ByteBuf) msg;
            flip(bytes);
            ctx.fireChannelRead(bytes);
        }
    }

    private static ByteBuf flip(ByteBuf bytes) {
        for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
            bytes.setByte(i, bytes.getByte(i) ^ 0x55);
        }
        return bytes;
    }

    @Test
    void send_channelWithTls_readsTheHeadBehindIt() throws Exception {
        EmbeddedChannel channel = new EmbeddedChannel(new Flipping());
        UpstreamCounts counts = new UpstreamCounts();
        ConnectionPool pool = new ConnectionPool(PoolConfig.DEFAULT, new FakeTicker(), counts);
        UpstreamConnection connection =
                new UpstreamConnection(WorkerFleet.ready(1).worker(0), pool, new HttpDecoderConfig(), channel);
        channel.pipeline().addLast(UpstreamConnection.RELAY, connection);
        pool.opened(connection);
        for (int i = 0; i < 2; i++) {
            RecordingListener told = new RecordingListener();
            connection.send(
                    new UpstreamRequest(
                            Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", US_ASCII), Unpooled.EMPTY_BUFFER, false),
                    told);
            ByteBuf sent = channel.readOutbound();
            assertThat(sent.toString(US_ASCII)).startsWith("GET / ");
            sent.release();
            channel.writeInbound(
                    flip(Unpooled.copiedBuffer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", US_ASCII)));
            told.awaitEnd();
            assertThat(told.raw()).isEqualTo("ok");
            assertThat(told.faults()).isEmpty();
            assertThat(pool.acquire(connection.worker())).isSameAs(connection);
        }
        assertThat(channel.finishAndReleaseAll()).isFalse();
        assertThat(counts.open()).isZero();
    }
}
