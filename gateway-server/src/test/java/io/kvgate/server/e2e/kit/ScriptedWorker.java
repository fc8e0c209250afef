package io.kvgate.server.e2e.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A stand-in for an engine on a raw server socket. It answers health and model probes by itself; everything else goes to the
 * script, and is recorded.
 *
 * <p>Threading: all methods may be called from any thread. Its own threads are daemons and at most {@value #MAX_THREADS}.
 */
public final class ScriptedWorker implements AutoCloseable {
    static final Duration FOREVER = Duration.ofDays(1);
    private static final int MAX_THREADS = 4_500;
    private static final int BACKLOG = 4_096;
    private static final long STACK_BYTES = 256 << 10;

    private final ThreadPoolExecutor threads;
    private final Map<String, Script> routes = new ConcurrentHashMap<>();
    private final List<Exchange> exchanges = new CopyOnWriteArrayList<>();
    private final List<RecordedRequest> probes = new CopyOnWriteArrayList<>();
    private final List<RecordedRequest> truncated = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final Set<WorkerConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final int port;
    private volatile Script script;
    private volatile @Nullable ServerSocket listener;
    private volatile CountDownLatch acceptorDone = new CountDownLatch(0);
    private volatile boolean closed;
    private volatile boolean recording = true;
    private volatile int keptBodyBytes = 64 << 20;

    private ScriptedWorker(Script script) throws IOException {
        this.script = script;
        ServerSocket first = bind(0);
        port = first.getLocalPort();
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(0, MAX_THREADS, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(null, task, "kit-worker-" + port + "-" + number.incrementAndGet(), STACK_BYTES);
            thread.setDaemon(true);
            return thread;
        });
        routes.put("GET /health", exchange -> exchange.head(200, "Content-Length: 0"));
        routes.put("GET /v1/models", exchange -> exchange.json(200, models("tiny-1")));
        Script unknown = exchange -> exchange.json(404, "{\"detail\":\"Not Found\"}");
        for (String path : List.of(
                "/server_info",
                "/get_server_info",
                "/model_info",
                "/get_model_info",
                "/v1/loads",
                "/get_load",
                "/load",
                "/metrics",
                "/version")) {
            routes.put("GET " + path, unknown);
        }
        listen(first);
    }

    /** Starts one on a free port of the loopback address. */
    public static ScriptedWorker start(Script script) throws IOException {
        return new ScriptedWorker(script);
    }

    /** The body of {@code GET /v1/models} for these ids. */
    public static String models(String... ids) {
        StringBuilder body = new StringBuilder("{\"object\":\"list\",\"data\":[");
        for (String id : ids) {
            body.append(body.charAt(body.length() - 1) == '[' ? "" : ",")
                    .append("{\"id\":\"")
                    .append(id)
                    .append("\",\"object\":\"model\",\"created\":1,\"owned_by\":\"kit\",\"max_model_len\":4096}");
        }
        return body.append("]}").toString();
    }

    // --- what it does ---

    /** Replaces the script from the next request on. */
    public ScriptedWorker script(Script next) {
        script = next;
        return this;
    }

    /** Answers this method and path apart from the script, without counting it as a request. */
    public ScriptedWorker on(String methodAndPath, Script answer) {
        routes.put(methodAndPath, answer);
        return this;
    }

    public ScriptedWorker health(Script answer) {
        return on("GET /health", answer);
    }

    public ScriptedWorker servesModels(String... ids) {
        return on("GET /v1/models", exchange -> exchange.json(200, models(ids)));
    }

    /** Bytes of each body that are kept; its length and digest are told in any case. */
    public ScriptedWorker keptBodyBytes(int bytes) {
        keptBodyBytes = bytes;
        return this;
    }

    /** Counts requests, but no longer keeps them; for tests with very many. */
    public ScriptedWorker countOnly() {
        recording = false;
        return this;
    }

    /** Refuses connections from now on; the open ones stay. */
    public void stopListening() throws IOException {
        ServerSocket current = listener;
        listener = null;
        if (current != null) {
            current.close();
        }
        // The kernel goes on accepting until the thread has left its call.
        awaitQuietly(acceptorDone);
    }

    /** As if the process were killed: refuses, and resets all connections. */
    public void crash() throws IOException {
        stopListening();
        resetConnections();
    }

    /** Resets all connections, and returns when that is done. */
    public void resetConnections() {
        List<WorkerConnection> all = List.copyOf(open);
        all.forEach(WorkerConnection::reset);
        all.forEach(connection -> awaitQuietly(connection.closed()));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            if (!latch.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a thread of the worker does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Listens again, on the same port. */
    public void listenAgain() throws IOException {
        listen(bind(port));
    }

    // --- what it saw ---

    public int port() {
        return port;
    }

    public String authority() {
        return "127.0.0.1:" + port;
    }

    public URI url() {
        return URI.create("http://" + authority());
    }

    /** Exchanges of the script, in the order in which they began. */
    public List<Exchange> exchanges() {
        return List.copyOf(exchanges);
    }

    public List<RecordedRequest> requests() {
        return exchanges.stream().map(Exchange::request).toList();
    }

    /** Requests of the script so far, also when they are not kept. */
    public int requestCount() {
        return served.get();
    }

    /** Health, model and other requests that were answered apart from the script. */
    public List<RecordedRequest> probes() {
        return List.copyOf(probes);
    }

    /** Requests whose body never ended. */
    public List<RecordedRequest> truncatedRequests() {
        return List.copyOf(truncated);
    }

    public int connectionsAccepted() {
        return accepted.get();
    }

    public int connectionsOpen() {
        return open.size();
    }

    /** Scripts that run now. */
    public int running() {
        return running.get();
    }

    /** Most scripts that ran at once. */
    public int peakRunning() {
        return peak.get();
    }

    /** What went wrong in scripts, other than a gateway that left. */
    public List<Throwable> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void close() throws IOException {
        closed = true;
        stopListening();
        resetConnections();
        threads.shutdownNow();
    }

    // --- for the connections ---

    Script scriptFor(RecordedRequest request) {
        Script route = routes.get(request.method() + " " + request.path());
        return route == null ? script : route;
    }

    void began(Exchange exchange) {
        if (isProbe(exchange)) {
            probes.add(exchange.request());
        } else {
            served.incrementAndGet();
            if (recording) {
                exchanges.add(exchange);
            }
        }
    }

    void runScript(Script current, Exchange exchange) {
        boolean counted = !isProbe(exchange);
        if (counted) {
            peak.accumulateAndGet(running.incrementAndGet(), Math::max);
        }
        try {
            current.run(exchange);
        } catch (IOException e) {
            exchange.peerLeft(Exchange.PeerClose.RST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            failed(e);
        } finally {
            if (counted) {
                running.decrementAndGet();
            }
            exchange.finished();
        }
    }

    private boolean isProbe(Exchange exchange) {
        return routes.containsKey(
                exchange.request().method() + " " + exchange.request().path());
    }

    void truncated(RecordedRequest request) {
        truncated.add(request);
    }

    void failed(Throwable problem) {
        if (!closed) {
            failures.add(problem);
        }
    }

    void connectionClosed(WorkerConnection connection) {
        open.remove(connection);
    }

    ExecutorService scripts() {
        return threads;
    }

    int keptBodyBytes() {
        return keptBodyBytes;
    }

    private static ServerSocket bind(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        return socket;
    }

    private void listen(ServerSocket socket) {
        CountDownLatch done = new CountDownLatch(1);
        acceptorDone = done;
        listener = socket;
        threads.execute(() -> {
            try {
                accept(socket);
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    failed(e);
                }
            } finally {
                done.countDown();
            }
        });
    }

    private void accept(ServerSocket socket) throws IOException {
        while (!socket.isClosed()) {
            Socket connection = socket.accept();
            if (socket.isClosed()) {
                connection.setSoLinger(true, 0);
                connection.close();
            } else {
                WorkerConnection next = new WorkerConnection(this, connection, accepted.incrementAndGet());
                open.add(next);
                threads.execute(next);
            }
        }
    }
}
