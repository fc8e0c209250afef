package io.kvgate.server.observability;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.kvgate.server.config.MetricsConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Prometheus listener: {@code GET /metrics} and nothing else.
 *
 * <p>Threading: answers on two daemon threads of its own, so that a scrape never holds up a request. {@link #close} may be
 * called from any thread, more than once.
 */
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);
    private static final String PATH = "/metrics";
    private static final int THREADS = 2;
    private static final int BACKLOG = 32;

    private final HttpServer server;
    private final ExecutorService executor;
    private final PrometheusMetricsRegistry registry;

    private MetricsServer(HttpServer server, ExecutorService executor, PrometheusMetricsRegistry registry) {
        this.server = server;
        this.executor = executor;
        this.registry = registry;
    }

    /**
     * Binds and serves.
     *
     * @throws IOException if the address can't be bound; the message names flags, address and reason
     */
    public static MetricsServer start(MetricsConfig config, PrometheusMetricsRegistry registry) throws IOException {
        HttpServer server;
        try {
            InetSocketAddress address = new InetSocketAddress(config.host(), config.port());
            if (address.isUnresolved()) {
                throw new IOException("no such host");
            }
            server = HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw config.bindFailure(e);
        }
        AtomicInteger number = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "kvgate-metrics-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });
        MetricsServer metricsServer = new MetricsServer(server, executor, registry);
        server.setExecutor(executor);
        server.createContext("/", metricsServer::handle);
        // The server's accepting thread is a daemon if the thread that starts it is one.
        executor.execute(server::start);
        return metricsServer;
    }

    /** The port it listens on. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            if (!exchange.getRequestURI().getPath().equals(PATH)) {
                answer(exchange, 404, "text/plain; charset=utf-8", "metrics are at /metrics\n");
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                answer(exchange, 405, "text/plain; charset=utf-8", "only GET and HEAD\n");
            } else {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream(65_536);
                try (Writer writer = new OutputStreamWriter(bytes, StandardCharsets.UTF_8)) {
                    registry.scrape(writer);
                }
                answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", bytes.toByteArray());
            }
        } catch (IOException e) {
            LOG.debug("scraper left: {}", e.toString());
        } catch (RuntimeException e) {
            LOG.warn("scrape failed", e);
            throw e;
        }
    }

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        answer(exchange, status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }
}
