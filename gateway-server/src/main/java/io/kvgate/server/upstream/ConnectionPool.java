package io.kvgate.server.upstream;

import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.server.config.PoolConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop: unused ones per worker, last used first, and all open ones for closing.
 *
 * <p>Unused connections are closed after a time below the engines' own keep-alive limit, so that as a rule the gateway closes
 * first and no request meets a connection that is being closed at the other end.
 *
 * <p>Threading: confined to its event loop.
 */
final class ConnectionPool {
    private final PoolConfig config;
    private final Ticker ticker;
    private final UpstreamCounts counts;
    private final Map<Worker, ArrayDeque<UpstreamConnection>> idle = new HashMap<>();
    private final Set<UpstreamConnection> open = new HashSet<>();
    private final Set<Worker> removed = new HashSet<>();
    private boolean shut;

    ConnectionPool(PoolConfig config, Ticker ticker, UpstreamCounts counts) {
        this.config = config;
        this.ticker = ticker;
        this.counts = counts;
    }

    /** The connection used last that is still good, or null. */
    @Nullable
    UpstreamConnection acquire(Worker worker) {
        ArrayDeque<UpstreamConnection> kept = idle.get(worker);
        while (kept != null && !kept.isEmpty()) {
            UpstreamConnection connection = kept.pollLast();
            if (connection.usable() && !expired(connection)) {
                return connection;
            }
            connection.close();
        }
        return null;
    }

    void opened(UpstreamConnection connection) {
        open.add(connection);
        counts.opened();
    }

    void closed(UpstreamConnection connection) {
        if (open.remove(connection)) {
            counts.closed();
        }
        ArrayDeque<UpstreamConnection> kept = idle.get(connection.worker());
        if (kept != null) {
            kept.remove(connection);
            if (kept.isEmpty()) {
                idle.remove(connection.worker());
            }
        }
    }

    void release(UpstreamConnection connection) {
        ArrayDeque<UpstreamConnection> kept = idle.computeIfAbsent(connection.worker(), w -> new ArrayDeque<>());
        if (shut || removed.contains(connection.worker()) || kept.size() >= config.maxIdle()) {
            connection.close();
            return;
        }
        connection.idleSinceNanos(ticker.nanos());
        kept.addLast(connection);
    }

    /** How many unused ones the worker has. */
    int idle(Worker worker) {
        ArrayDeque<UpstreamConnection> kept = idle.get(worker);
        return kept == null ? 0 : kept.size();
    }

    /** Closes what has been unused for too long. */
    void sweep() {
        for (ArrayDeque<UpstreamConnection> kept : new ArrayList<>(idle.values())) {
            Iterator<UpstreamConnection> oldestFirst = new ArrayList<>(kept).iterator();
            while (oldestFirst.hasNext()) {
                UpstreamConnection connection = oldestFirst.next();
                if (!expired(connection)) {
                    break;
                }
                kept.remove(connection);
                connection.close();
            }
        }
        removed.removeIf(worker -> open.stream().noneMatch(connection -> connection.worker() == worker));
    }

    /**
     * Closes the worker's connections, also those in use: a worker that was drained has none, so any left belong to calls that are
     * to be cut.
     */
    void removeWorker(Worker worker) {
        removed.add(worker);
        for (UpstreamConnection connection : new ArrayList<>(open)) {
            if (connection.worker() == worker) {
                connection.close();
            }
        }
        idle.remove(worker);
    }

    /** Closes everything, calls under way included. */
    void shutDown() {
        shut = true;
        new ArrayList<>(open).forEach(UpstreamConnection::close);
    }

    private boolean expired(UpstreamConnection connection) {
        return ticker.nanos() - connection.idleSinceNanos()
                >= config.idleTimeout().toNanos();
    }
}
