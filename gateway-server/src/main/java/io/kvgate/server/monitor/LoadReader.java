package io.kvgate.server.monitor;

import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerLoad;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks an engine for its load, by the way it offers. The way is found out at the first question and kept until the worker leaves
 * or becomes not ready, or the way answers 404.
 *
 * <p>Threading: any thread.
 */
public final class LoadReader {
    private static final Logger LOG = LoggerFactory.getLogger(LoadReader.class);

    /**
     * What came of one question.
     *
     * @param source the way; null if it could not be found out this time
     * @param load the load; null if unknown
     * @param detail why it is unknown; empty if it is not
     */
    public record Reading(
            @Nullable LoadSource source, @Nullable WorkerLoad load, String detail) {}

    private final WorkerHttp http;
    private final Ticker ticker;
    private final Duration timeout;
    private final Map<Worker, LoadSource> sources = new ConcurrentHashMap<>();

    /** The limit of one question; positive. */
    public LoadReader(WorkerRegistry registry, WorkerHttp http, Ticker ticker, Duration timeout) {
        this.http = http;
        this.ticker = ticker;
        this.timeout = timeout;
        registry.subscribe(this::onEvent);
    }

    private void onEvent(WorkerEvent event) {
        if (event instanceof WorkerEvent.Removed) {
            sources.remove(event.worker());
        } else if (event instanceof WorkerEvent.StatusChanged change && change.to() != WorkerStatus.READY) {
            sources.remove(event.worker());
        }
    }

    /** Asks now. The future never fails. */
    public CompletableFuture<Reading> read(Worker worker) {
        LoadSource source = sources.get(worker);
        if (source == null) {
            return detect(worker, LoadSource.candidates(worker.metadata().engine()), 0);
        }
        if (source == LoadSource.NONE) {
            return CompletableFuture.completedFuture(new Reading(source, null, "the engine does not tell its load"));
        }
        return http.send(worker, source.call(timeout)).thenApply(reply -> reading(worker, source, reply));
    }

    private Reading reading(Worker worker, LoadSource source, WorkerReply reply) {
        WorkerLoad load = reply.ok() ? source.parse(reply.body(), ticker.nanos()) : null;
        if (load != null) {
            return new Reading(source, load, "");
        }
        if (notOffered(reply)) {
            sources.remove(worker, source);
        }
        return new Reading(source, null, reply.ok() ? "the answer tells no load" : reply.detail());
    }

    private CompletableFuture<Reading> detect(Worker worker, List<LoadSource> candidates, int index) {
        if (index == candidates.size()) {
            if (sources.putIfAbsent(worker, LoadSource.NONE) == null) {
                LOG.warn(
                        "worker {}: the engine tells its load by none of {}; only the gateway's own count is used",
                        worker.id(),
                        candidates.stream().map(LoadSource::path).toList());
            }
            return CompletableFuture.completedFuture(
                    new Reading(LoadSource.NONE, null, "the engine does not tell its load"));
        }
        LoadSource candidate = candidates.get(index);
        return http.send(worker, candidate.call(timeout)).thenCompose(reply -> {
            WorkerLoad load = reply.ok() ? candidate.parse(reply.body(), ticker.nanos()) : null;
            if (load != null) {
                sources.put(worker, candidate);
                return CompletableFuture.completedFuture(new Reading(candidate, load, ""));
            }
            if (reply.ok() || notOffered(reply)) {
                return detect(worker, candidates, index + 1);
            }
            // Says nothing of what the engine offers: ask again next time.
            return CompletableFuture.completedFuture(new Reading(null, null, reply.detail()));
        });
    }

    private static boolean notOffered(WorkerReply reply) {
        return reply.status() == 404 || reply.status() == 405 || reply.status() == 501 || reply.status() == 400;
    }
}
