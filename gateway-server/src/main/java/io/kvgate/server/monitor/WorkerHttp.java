package io.kvgate.server.monitor;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerSpec;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls to workers beside the request path: probes, metadata, load, fan-out. HTTP/1.1, no redirects, every call bounded in time
 * and size, on a connection of its own, with the worker's own key.
 *
 * <p>Threading: any thread may call, event loops too: a call only hands over. Names are resolved and replies completed on this
 * class's executor, bytes move on an event loop of its own that serves no client.
 */
public final class WorkerHttp implements AutoCloseable {
    /** Limit of an answer unless the call sets its own. */
    public static final int DEFAULT_MAX_BYTES = 1 << 20;

    /** Limit of an answer of {@code /metrics}. */
    public static final int METRICS_MAX_BYTES = 16 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(WorkerHttp.class);
    private static final int MAX_LINE_BYTES = 4_096;
    private static final int MAX_HEADER_BYTES = 65_536;
    private static final int MAX_CHUNK_BYTES = 8_192;
    private static final int THREADS = 8;
    private static final int FAN_OUT = 32;
    private static final long CLOSE_MILLIS = 1_000;

    /**
     * What to ask.
     *
     * @param method {@code GET} or {@code POST}
     * @param path begins with {@code /}; is joined to the worker's base URL
     * @param body JSON to send; null: none
     * @param timeout from the call to the last byte of the answer; positive
     * @param maxBytes limit of the answer's body
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not shared
    public record Call(String method, String path, byte @Nullable [] body, Duration timeout, int maxBytes) {
        public static Call get(String path, Duration timeout) {
            return new Call("GET", path, null, timeout, DEFAULT_MAX_BYTES);
        }

        /** The scrape of an engine's metrics. */
        public static Call metrics(Duration timeout) {
            return new Call("GET", "/metrics", null, timeout, METRICS_MAX_BYTES);
        }

        public static Call post(String path, byte[] body, Duration timeout) {
            return new Call("POST", path, body, timeout, DEFAULT_MAX_BYTES);
        }
    }

    /** A call that has not ended yet. */
    private static final class Running {
        final CompletableFuture<WorkerReply> reply = new CompletableFuture<>();
    }

    private final ThreadPoolExecutor executor;
    private final EventLoopGroup loops;
    private final Bootstrap bootstrap;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private volatile @Nullable SslContext tls;

    /** The limit for setting up one connection; zero: only the limits of the calls. */
    public WorkerHttp(Duration connectTimeout) {
        executor = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("kvgate-worker-reply", true),
                // After close() what is left of running calls ends on the thread that brings the news.
                (task, pool) -> task.run());
        executor.allowCoreThreadTimeOut(true);
        loops = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("kvgate-worker-http", true), NioIoHandler.newFactory());
        bootstrap = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.min(connectTimeout.toMillis(), Integer.MAX_VALUE));
    }

    /** Asks a worker. The future never fails: a failure is a reply too. It completes on a thread of this class. */
    public CompletableFuture<WorkerReply> send(Worker worker, Call call) {
        WorkerSpec spec = worker.spec();
        return send(spec.url(), spec.apiKey(), call);
    }

    /** As the other, for a URL that is no worker yet; null key: no {@code Authorization}. */
    public CompletableFuture<WorkerReply> send(URI base, @Nullable String apiKey, Call call) {
        Running ongoing = new Running();
        CompletableFuture<WorkerReply> reply = ongoing.reply;
        running.add(ongoing);
        if (closed) {
            reply.complete(closing());
        } else {
            executor.execute(() -> begin(base, apiKey, call, reply));
        }
        long millis = Math.max(1, call.timeout().toMillis());
        WorkerReply late = WorkerReply.failed(ErrorCode.UPSTREAM_TIMEOUT, "no answer within " + millis + " ms");
        return reply.completeOnTimeout(late, millis, TimeUnit.MILLISECONDS)
                .thenApplyAsync(
                        value -> {
                            running.remove(ongoing);
                            return value;
                        },
                        executor);
    }

    /** Asks several workers, {@value #FAN_OUT} at once; the replies stand in the workers' order. Never fails. */
    public CompletableFuture<List<WorkerReply>> sendAll(List<Worker> workers, Call call) {
        return all(workers, worker -> send(worker, call));
    }

    /** As the other, with a question of the caller's; its futures must not fail. */
    public static <T> CompletableFuture<List<T>> all(
            List<Worker> workers, Function<Worker, CompletableFuture<T>> question) {
        List<CompletableFuture<T>> answers = new ArrayList<>();
        workers.forEach(worker -> answers.add(new CompletableFuture<>()));
        AtomicInteger next = new AtomicInteger();
        for (int lane = 0; lane < Math.min(FAN_OUT, workers.size()); lane++) {
            lane(workers, question, answers, next);
        }
        return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
                .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
    }

    private static <T> void lane(
            List<Worker> workers,
            Function<Worker, CompletableFuture<T>> question,
            List<CompletableFuture<T>> answers,
            AtomicInteger next) {
        int index = next.getAndIncrement();
        if (index >= workers.size()) {
            return;
        }
        var unused = question.apply(workers.get(index)).whenComplete((answer, defect) -> {
            if (defect == null) {
                answers.get(index).complete(answer);
            } else {
                answers.get(index).completeExceptionally(defect);
            }
            lane(workers, question, answers, next);
        });
    }

    /** On a thread of the executor, as resolving a name blocks. */
    private void begin(URI base, @Nullable String apiKey, Call call, CompletableFuture<WorkerReply> reply) {
        if (reply.isDone()) {
            return;
        }
        try {
            FullHttpRequest request = request(base, apiKey, call);
            List<InetAddress> addresses = List.of(InetAddress.getAllByName(base.getHost()));
            SslContext context = base.getScheme().equals("https") ? tls() : null;
            connect(addresses, new Exchanges(base, context, request, call.maxBytes(), reply));
        } catch (IllegalArgumentException refused) {
            // Its message may quote the key.
            reply.complete(WorkerReply.failed(
                    ErrorCode.UPSTREAM_CONNECT_ERROR, "the URL or the api key can't be put into a request"));
        } catch (IOException failed) {
            reply.complete(WorkerExchange.failure(failed));
        } catch (RuntimeException | Error defect) {
            reply.complete(WorkerExchange.failure(defect));
            LOG.error("a call to a worker could not be begun", defect);
        }
    }

    /** Tries one address after the other until a connection stands. */
    private void connect(List<InetAddress> addresses, Exchanges exchanges) {
        InetSocketAddress address = new InetSocketAddress(addresses.get(0), exchanges.base.getPort());
        var unused = bootstrap.clone().handler(exchanges).connect(address).addListener((ChannelFuture done) -> {
            List<InetAddress> others = addresses.subList(1, addresses.size());
            if (done.isSuccess()) {
                // A reply by timeout or by close() ends the exchange too.
                var unusedEnd = exchanges.reply.whenComplete((value, error) -> exchanges.end(done.channel()));
            } else if (others.isEmpty() || exchanges.reply.isDone()) {
                exchanges.reply.complete(WorkerExchange.failure(done.cause()));
            } else {
                connect(others, exchanges);
            }
        });
    }

    /** Makes the pipeline of each connection that one call tries. */
    private static final class Exchanges extends ChannelInitializer<SocketChannel> {
        private final URI base;
        private final @Nullable SslContext context;
        private final FullHttpRequest request;
        private final int maxBytes;
        private final CompletableFuture<WorkerReply> reply;

        Exchanges(
                URI base,
                @Nullable SslContext context,
                FullHttpRequest request,
                int maxBytes,
                CompletableFuture<WorkerReply> reply) {
            this.base = base;
            this.context = context;
            this.request = request;
            this.maxBytes = maxBytes;
            this.reply = reply;
        }

        void end(Channel channel) {
            // An exchange that has closed its channel already closes nothing twice.
            var unused = channel.close();
        }

        @Override
        protected void initChannel(SocketChannel channel) {
            if (context != null) {
                channel.pipeline().addLast(context.newHandler(channel.alloc(), base.getHost(), base.getPort()));
            }
            channel.pipeline()
                    .addLast(new HttpClientCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_CHUNK_BYTES))
                    .addLast(new WorkerExchange(request, maxBytes, reply));
        }
    }

    /** The machine's trust store; the host name is checked. */
    private SslContext tls() throws SSLException {
        SslContext context = tls;
        if (context == null) {
            context = SslContextBuilder.forClient().build();
            tls = context;
        }
        return context;
    }

    /** One connection per call: calls are rare, and a kept one might be closed by the worker just when it is used. */
    private static FullHttpRequest request(URI base, @Nullable String apiKey, Call call) {
        byte[] body = call.body();
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.valueOf(call.method()),
                base.getRawPath() + call.path(),
                Unpooled.wrappedBuffer(body == null ? new byte[0] : body));
        request.headers()
                .set(HttpHeaderNames.HOST, base.getRawAuthority())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.USER_AGENT, "kvgate")
                .set(HttpHeaderNames.ACCEPT, "*/*");
        if (apiKey != null) {
            request.headers().set(HttpHeaderNames.AUTHORIZATION, "Bearer " + apiKey);
        }
        // Some engines refuse a GET with a framing header: a length only where there is a body.
        if (body != null) {
            request.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
                    .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        }
        return request;
    }

    private static WorkerReply closing() {
        return WorkerReply.failed(ErrorCode.SHUTTING_DOWN, "the gateway is closing");
    }

    /** Ends running calls with a failure and the threads within seconds. Further calls fail. May be called again. */
    @Override
    public void close() {
        closed = true;
        running.forEach(call -> call.reply.complete(closing()));
        executor.shutdown();
        try {
            // First no call can begin any more, then the connections' thread ends.
            if (!executor.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                executor.shutdownNow();
            }
            var unused = loops.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS);
            if (!loops.awaitTermination(2 * CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.warn("the thread of worker calls has not ended in time");
            }
        } catch (InterruptedException e) {
            executor.shutdownNow();
            var unused = loops.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
            Thread.currentThread().interrupt();
        }
    }
}
