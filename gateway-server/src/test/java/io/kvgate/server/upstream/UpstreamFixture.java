package io.kvgate.server.upstream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One event loop with its upstream client, on a clock that stands still. At its end it checks that every connection was closed and
 * every buffer released.
 *
 * <p>Threading: the test's thread.
 */
final class UpstreamFixture implements AutoCloseable {
    static final int MAX_HEADER_BYTES = 8_192;
    static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    final FakeTicker ticker = new FakeTicker();
    final UpstreamClient client;
    private final WorkerFleet fleet = new WorkerFleet();
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final UpstreamConnector connector;
    private final List<ByteBuf> heads = new CopyOnWriteArrayList<>();
    private final List<ByteBuf> bodies = new CopyOnWriteArrayList<>();
    private final List<RecordingListener> listeners = new CopyOnWriteArrayList<>();
    private int lastBytes = -1;
    private int unchanged;

    UpstreamFixture() {
        this(new PoolConfig(Duration.ofSeconds(4), 2));
    }

    UpstreamFixture(PoolConfig pool) {
        Transport transport = Transport.choose(TransportChoice.AUTO);
        group = new MultiThreadIoEventLoopGroup(1, transport.ioHandler());
        loop = group.next();
        connector = new UpstreamConnector(transport, Duration.ofSeconds(5));
        client = new UpstreamClient(loop, connector, pool, MAX_HEADER_BYTES, ticker);
    }

    Worker worker(URI url) {
        return fleet.add(WorkerSpec.of(url));
    }

    /** A call under way. */
    record Started(UpstreamCall call, RecordingListener told) {}

    Started call(Worker worker, String body) throws Exception {
        return call(worker, body, false);
    }

    Started call(Worker worker, String body, boolean fresh) throws Exception {
        ByteBuf head = head("POST /v1/x HTTP/1.1\r\nhost: w\r\ncontent-length: " + body.length() + "\r\n\r\n");
        return start(worker, new UpstreamRequest(head, body(body), false), fresh);
    }

    /** A body in as many slices as it has characters. */
    Started callInSlices(Worker worker, String body) throws Exception {
        ByteBuf head = head("POST /v1/x HTTP/1.1\r\nhost: w\r\ncontent-length: " + body.length() + "\r\n\r\n");
        CompositeByteBuf slices = Unpooled.compositeBuffer(Integer.MAX_VALUE);
        for (int i = 0; i < body.length(); i++) {
            slices.addComponent(true, body(body.substring(i, i + 1)));
        }
        return start(worker, new UpstreamRequest(head, slices, false), false);
    }

    Started headCall(Worker worker) throws Exception {
        return start(worker, new UpstreamRequest(head("HEAD / HTTP/1.1\r\nhost: w\r\n\r\n"), body(""), true), false);
    }

    private Started start(Worker worker, UpstreamRequest request, boolean fresh) throws Exception {
        return onLoop(() -> startOnLoop(worker, request, fresh));
    }

    /** On the loop already. */
    Started callOnLoop(Worker worker, String body) {
        return startOnLoop(worker, new UpstreamRequest(head("POST / HTTP/1.1\r\n\r\n"), body(body), false), false);
    }

    private Started startOnLoop(Worker worker, UpstreamRequest request, boolean fresh) {
        RecordingListener listener = new RecordingListener();
        listeners.add(listener);
        return new Started(client.call(worker, request, listener, fresh), listener);
    }

    int idleConnections(Worker worker) throws Exception {
        return onLoop(() -> client.idle(worker));
    }

    /** To be asked again and again: true once nothing more has come for three times. */
    boolean settled(RecordingListener listener) {
        int bytes = listener.rawBytes();
        unchanged = bytes == lastBytes ? unchanged + 1 : 0;
        lastBytes = bytes;
        return unchanged >= 3;
    }

    private ByteBuf head(String text) {
        return kept(text, heads);
    }

    private ByteBuf body(String text) {
        return kept(text, bodies);
    }

    private static ByteBuf kept(String text, List<ByteBuf> list) {
        ByteBuf buf = Unpooled.buffer().writeBytes(text.getBytes(ISO_8859_1));
        list.add(buf);
        return buf;
    }

    /** A whole request and response; its connection is kept. */
    RawWorker.Peer exchangeOnNewConnection(RawWorker raw, Worker worker) throws Exception {
        Started first = call(worker, "");
        RawWorker.Peer peer = raw.accept();
        peer.readHead();
        peer.write(OK);
        first.told().awaitEnd();
        return peer;
    }

    <T> T onLoop(Callable<T> task) throws Exception {
        return loop.submit(task).get(10, SECONDS);
    }

    void onLoop(Runnable task) throws Exception {
        loop.submit(task).get(10, SECONDS);
    }

    long openConnections() {
        return connector.counts().open();
    }

    void awaitOpenConnections(long count) {
        await().atMost(Duration.ofSeconds(10)).until(() -> connector.counts().open() == count);
    }

    @Override
    public void close() {
        client.shutDown();
        awaitOpenConnections(0);
        assertThat(group.shutdownGracefully(0, 5, SECONDS).awaitUninterruptibly(10, SECONDS))
                .isTrue();
        connector.close();
        for (RecordingListener listener : listeners) {
            assertThat(listener.faults()).isEmpty();
        }
        // Heads were taken over, bodies only borrowed.
        for (ByteBuf head : heads) {
            assertThat(head.refCnt()).as("head").isZero();
        }
        for (ByteBuf body : bodies) {
            assertThat(body.refCnt()).as("body").isEqualTo(1);
            body.release();
        }
    }
}
