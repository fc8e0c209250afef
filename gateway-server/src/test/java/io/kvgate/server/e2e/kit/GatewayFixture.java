package io.kvgate.server.e2e.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.server.Gateway;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A gateway that runs in this process, on free ports of the loopback address.
 *
 * <p>Threading: the test's threads; clients may be made by several.
 */
public final class GatewayFixture implements AutoCloseable {
    /** What the field reports call "settles". */
    public static final Duration SETTLE = Duration.ofSeconds(2);

    private static final List<String> GAUGES_AT_REST = List.of(
            "kvgate_http_requests_inflight",
            "smg_worker_requests_active",
            "kvgate_queue_waiting",
            "kvgate_permits_in_use",
            "kvgate_body_bytes_buffered");
    /** Threads of the JVM, of the test's tools, and those that Netty keeps for the whole process. */
    private static final List<String> FOREIGN_THREADS = List.of(
            "kit-",
            "test-",
            "awaitility",
            "surefire",
            "globalEventExecutor",
            "ObjectCleaner",
            "Common-Cleaner",
            "ForkJoinPool",
            "CompletableFutureDelayScheduler",
            "process reaper",
            "Attach Listener",
            "junit");

    private final LogCapture log;
    private final Set<Thread> threadsBefore;
    private final Gateway gateway;
    private final List<RawClient> clients = new ArrayList<>();
    private boolean closed;

    private GatewayFixture(List<ScriptedWorker> workers, Consumer<ConfigChange> change) throws IOException {
        log = new LogCapture();
        threadsBefore = liveThreads();
        ConfigChange config = new ConfigChange();
        workers.forEach(worker -> config.workers.add(WorkerSpec.of(worker.url())));
        change.accept(config);
        gateway = Gateway.start(config.build());
        log.refresh();
    }

    /** Starts one, and returns before it is ready. */
    static GatewayFixture start(List<ScriptedWorker> workers, Consumer<ConfigChange> change) throws IOException {
        return new GatewayFixture(workers, change);
    }

    public int port() {
        return gateway.port();
    }

    public int metricsPort() {
        return gateway.metricsPort();
    }

    public LogCapture log() {
        return log;
    }

    /** A new connection; closed with the gateway. */
    public RawClient client() throws IOException {
        RawClient client = RawClient.connect(port());
        synchronized (clients) {
            clients.add(client);
        }
        return client;
    }

    /** A new connection whose receive buffer is small. */
    public RawClient slowClient(int receiveBufferBytes) throws IOException {
        RawClient client = RawClient.connect(port(), receiveBufferBytes);
        synchronized (clients) {
            clients.add(client);
        }
        return client;
    }

    /** Sends one request on a connection of its own. */
    public ClientResponse call(byte[] request) throws IOException {
        try (RawClient client = RawClient.connect(port())) {
            return client.send(request).readResponse();
        }
    }

    public ClientResponse get(String target, String... lines) throws IOException {
        return call(RawClient.request("GET", target, "", lines));
    }

    public ClientResponse post(String target, String body, String... lines) throws IOException {
        return call(RawClient.request("POST", target, body, lines));
    }

    public ClientResponse chat(String body, String... lines) throws IOException {
        return post(Vocabulary.CHAT, body, lines);
    }

    /** One scrape of the metrics listener. */
    public Exposition scrape() throws IOException {
        try (RawClient client = RawClient.connect(metricsPort())) {
            ClientResponse response =
                    client.get("/metrics", "Connection: close").readResponse();
            if (response.status() != 200) {
                throw new IOException("scrape: " + response);
            }
            return new Exposition(response.text());
        }
    }

    public boolean isReady() throws IOException {
        return get("/readiness").status() == 200;
    }

    public GatewayFixture awaitReady() {
        await("readiness")
                .pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(10))
                .until(this::isReady);
        return this;
    }

    /** Waits until so many workers are ready. */
    public GatewayFixture awaitReadyWorkers(int count) {
        await("ready workers")
                .pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(10))
                .until(() -> get("/readiness").text().contains("\"healthy_workers\":" + count + ","));
        return this;
    }

    /** Checks that nothing is held any more, within the time that reports call "settles". */
    public void assertAtRest() {
        await("gauges at rest")
                .pollInterval(Duration.ofMillis(20))
                .atMost(SETTLE)
                .untilAsserted(() -> {
                    Exposition scrape = scrape();
                    for (String gauge : GAUGES_AT_REST) {
                        assertThat(scrape.samples(gauge))
                                .as(gauge)
                                .allSatisfy(sample -> assertThat(sample.value())
                                        .as("%s", sample)
                                        .isZero());
                    }
                });
    }

    /** Closes clients and gateway in order, without checks. */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            synchronized (clients) {
                for (RawClient client : clients) {
                    client.close();
                }
            }
            gateway.close();
        }
    }

    /** Ends the gateway in order, while clients are still there. */
    public void shutDown() {
        gateway.close();
    }

    void closeLog() {
        log.close();
    }

    /** Checks that the closed gateway left no thread behind. */
    void assertThreadsGone() {
        await("threads gone")
                .pollInterval(Duration.ofMillis(50))
                .atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> {
                    Set<Thread> left = liveThreads();
                    left.removeAll(threadsBefore);
                    if (left.stream().anyMatch(thread -> thread.getName().contains("HttpClient"))) {
                        System.gc(); // the JDK's client ends its thread when it is found unreachable
                    }
                    assertThat(left.stream().map(Thread::getName)).isEmpty();
                });
    }

    private static Set<Thread> liveThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .filter(thread -> FOREIGN_THREADS.stream().noneMatch(thread.getName()::startsWith))
                .collect(Collectors.toSet());
    }
}
