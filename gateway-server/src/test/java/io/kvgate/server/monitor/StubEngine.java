package io.kvgate.server.monitor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An engine made of canned answers on a loopback port; paths without one are 404. Remembers what it was asked.
 *
 * <p>Threading: answers may be changed at any time.
 */
public final class StubEngine implements AutoCloseable {
    /** One request as it came. */
    public record Seen(String method, String path, @Nullable String authorization, String body, boolean framed) {}

    @SuppressWarnings("ArrayRecordComponent") // read only
    private record Answer(
            int status,
            String contentType,
            byte[] body,
            @Nullable CountDownLatch gate) {}

    private final HttpServer server;
    private final ExecutorService executor = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "stub-engine");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile @Nullable String requiredKey;

    public StubEngine() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(executor);
        server.createContext("/", this::handle);
        server.start();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    public StubEngine on(String path, int status, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        answers.put(path, new Answer(status, "application/json", bytes, null));
        return this;
    }

    /** Answers once the gate is open; closing the engine opens it too. */
    public StubEngine onGated(String path, String body, CountDownLatch gate) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        answers.put(path, new Answer(200, "application/json", bytes, gate));
        return this;
    }

    /** Answers anything without this key with 401. */
    public StubEngine requireKey(String key) {
        requiredKey = key;
        return this;
    }

    public List<Seen> seen() {
        return List.copyOf(seen);
    }

    public long count(String path) {
        return seen.stream().filter(request -> request.path().equals(path)).count();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String authorization = exchange.getRequestHeaders().getFirst("Authorization");
            boolean framed = exchange.getRequestHeaders().containsKey("Content-Length")
                    || exchange.getRequestHeaders().containsKey("Transfer-Encoding");
            seen.add(new Seen(exchange.getRequestMethod(), path, authorization, body, framed));
            String key = requiredKey;
            Answer answer = answers.getOrDefault(path, new Answer(404, "text/plain", new byte[0], null));
            if (key != null && !("Bearer " + key).equals(authorization)) {
                answer = new Answer(401, "text/plain", new byte[0], null);
            }
            await(answer.gate);
            exchange.getResponseHeaders().set("Content-Type", answer.contentType);
            exchange.sendResponseHeaders(answer.status, answer.body.length == 0 ? -1 : answer.body.length);
            if (answer.body.length > 0) {
                exchange.getResponseBody().write(answer.body);
            }
        }
    }

    private void await(@Nullable CountDownLatch gate) {
        try {
            while (gate != null && gate.getCount() > 0 && !closing.await(5, TimeUnit.MILLISECONDS)) {
                Thread.onSpinWait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The port refuses connections afterwards. */
    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        executor.shutdownNow();
    }
}
