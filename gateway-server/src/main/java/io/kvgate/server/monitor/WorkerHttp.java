package io.kvgate.server.monitor;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerSpec;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Calls to workers beside the request path: probes, metadata, load, fan-out. HTTP/1.1, no redirects, every call bounded in time
 * and size, with the worker's own key.
 *
 * <p>Threading: any thread may call, event loops too: a call only hands over to this class's threads, where names are resolved and
 * replies are completed.
 */
public final class WorkerHttp implements AutoCloseable {
    /** Limit of an answer unless the call sets its own. */
    public static final int DEFAULT_MAX_BYTES = 1 << 20;

    /** Limit of an answer of {@code /metrics}. */
    public static final int METRICS_MAX_BYTES = 16 << 20;

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
    private final HttpClient client;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** The limit for setting up one connection; positive. */
    public WorkerHttp(Duration connectTimeout) {
        AtomicInteger number = new AtomicInteger();
        executor = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "kvgate-worker-http-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                },
                // After close() what is left of running calls ends on the thread that brings the news.
                (task, pool) -> task.run());
        executor.allowCoreThreadTimeOut(true);
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(connectTimeout)
                .executor(executor)
                .build();
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

    private void begin(URI base, @Nullable String apiKey, Call call, CompletableFuture<WorkerReply> reply) {
        if (reply.isDone()) {
            return;
        }
        CompletableFuture<HttpResponse<byte[]>> exchange;
        try {
            exchange = client.sendAsync(request(base, apiKey, call), head -> new BoundedBody(call.maxBytes()));
        } catch (IllegalArgumentException refused) {
            // Its message may quote the key.
            reply.complete(WorkerReply.failed(
                    ErrorCode.UPSTREAM_CONNECT_ERROR, "the URL or the api key can't be put into a request"));
            return;
        }
        var unusedEnd = exchange.handle((response, error) -> {
            if (response != null) {
                String contentType =
                        response.headers().firstValue("content-type").orElse("");
                return reply.complete(WorkerReply.answered(response.statusCode(), contentType, response.body()));
            }
            return reply.complete(failure(error, call));
        });
        var unusedCancel = reply.whenComplete((value, error) -> exchange.cancel(true));
    }

    private static HttpRequest request(URI base, @Nullable String apiKey, Call call) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(base + call.path()))
                .timeout(call.timeout())
                .header("User-Agent", "kvgate");
        if (apiKey != null) {
            builder.header("Authorization", "Bearer " + apiKey);
        }
        byte[] body = call.body();
        if (body == null) {
            // GET() sends no framing header; some engines refuse a GET with one.
            return builder.GET().build();
        }
        return builder.header("Content-Type", "application/json")
                .method(call.method(), BodyPublishers.ofByteArray(body))
                .build();
    }

    /** Kinds only: the texts of these exceptions may hold addresses. */
    private static WorkerReply failure(@Nullable Throwable error, Call call) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        if (cause instanceof HttpConnectTimeoutException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_CONNECT_TIMEOUT, "connect timed out");
        }
        if (cause instanceof HttpTimeoutException) {
            long millis = call.timeout().toMillis();
            return WorkerReply.failed(ErrorCode.UPSTREAM_TIMEOUT, "no answer within " + millis + " ms");
        }
        if (cause instanceof ConnectException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_CONNECT_ERROR, "connection refused or host unreachable");
        }
        if (cause instanceof SSLException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_CONNECT_ERROR, "TLS failure");
        }
        if (cause instanceof BoundedBody.TooLargeException) {
            return WorkerReply.failed(
                    ErrorCode.UPSTREAM_PROTOCOL_ERROR, "answer larger than " + call.maxBytes() + " bytes");
        }
        if (cause instanceof ProtocolException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_PROTOCOL_ERROR, "the answer is not HTTP");
        }
        if (cause instanceof IOException) {
            return WorkerReply.failed(ErrorCode.UPSTREAM_RESET, "connection closed before the answer was complete");
        }
        String kind = cause == null ? "unknown" : cause.getClass().getSimpleName();
        return WorkerReply.failed(ErrorCode.UPSTREAM_PROTOCOL_ERROR, "call failed: " + kind);
    }

    private static WorkerReply closing() {
        return WorkerReply.failed(ErrorCode.SHUTTING_DOWN, "the gateway is closing");
    }

    /** Ends running calls with a failure and the threads within a second. Further calls fail. May be called again. */
    @Override
    public void close() {
        closed = true;
        executor.shutdown();
        running.forEach(call -> call.reply.complete(closing()));
        try {
            if (!executor.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
