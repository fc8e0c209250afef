package io.kvgate.core.worker;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Immutable picture of all workers; a request reads one and keeps it.
 *
 * <p>All lists and pools are made when the snapshot is, once per change, so that a request only looks up. What {@link Worker} itself
 * says (status, load) goes on changing; the pools' {@code ready} lists hold what was ready when the snapshot was made.
 */
public final class WorkerSnapshot {
    /** The model of {@link #poolOfRole}'s key. */
    public static final String ANY_MODEL = "*";

    private final long version;
    private final List<Worker> workers;
    private final Map<WorkerRole, Map<String, WorkerPool>> pools = new EnumMap<>(WorkerRole.class);
    private final Map<WorkerRole, WorkerPool> poolOfRole = new EnumMap<>(WorkerRole.class);
    private final Map<WorkerId, Worker> byId = new HashMap<>();
    private final Map<URI, Worker> byUrl = new HashMap<>();
    private final List<String> models;

    /** @param workers in order of registration */
    WorkerSnapshot(long version, Collection<Worker> workers) {
        this.version = version;
        this.workers = List.copyOf(workers);
        Map<PoolKey, List<Worker>> members = new HashMap<>();
        TreeSet<String> served = new TreeSet<>();
        for (Worker worker : this.workers) {
            byId.put(worker.id(), worker);
            byUrl.put(worker.spec().url(), worker);
            WorkerRole role = worker.spec().role();
            List<String> models = worker.modelIds();
            // An engine may name a model twice; its pool has the worker once.
            for (String model : new LinkedHashSet<>(models)) {
                members.computeIfAbsent(new PoolKey(role, model), key -> new ArrayList<>())
                        .add(worker);
            }
            members.computeIfAbsent(new PoolKey(role, ANY_MODEL), key -> new ArrayList<>())
                    .add(worker);
            if (worker.status() != WorkerStatus.DRAINING) {
                served.addAll(models);
            }
        }
        served.remove(Worker.UNKNOWN_MODEL);
        models = List.copyOf(served);
        for (WorkerRole role : WorkerRole.values()) {
            pools.put(role, new HashMap<>());
            poolOfRole.put(role, new WorkerPool(new PoolKey(role, ANY_MODEL), List.of(), List.of()));
        }
        members.forEach(this::addPool);
    }

    private void addPool(PoolKey key, List<Worker> members) {
        List<Worker> ready = members.stream()
                .filter(worker -> worker.status() == WorkerStatus.READY)
                .toList();
        WorkerPool pool = new WorkerPool(key, members, ready);
        if (key.model().equals(ANY_MODEL)) {
            poolOfRole.put(key.role(), pool);
        } else {
            pools.computeIfAbsent(key.role(), role -> new HashMap<>()).put(key.model(), pool);
        }
    }

    /** Grows by one with each change. */
    public long version() {
        return version;
    }

    /** In order of registration. */
    public List<Worker> workers() {
        return workers;
    }

    /** The pool of this role and model, or null if no worker of the role serves the model. */
    public @Nullable WorkerPool pool(WorkerRole role, String model) {
        Map<String, WorkerPool> ofRole = pools.get(role);
        return ofRole == null ? null : ofRole.get(model);
    }

    /** Every worker of the role whatever its model: the pool with model {@code unknown} is not meant. Key's model is {@code *}. */
    public WorkerPool poolOfRole(WorkerRole role) {
        WorkerPool pool = poolOfRole.get(role);
        if (pool == null) {
            throw new IllegalArgumentException("role: " + role + " (expected: one of WorkerRole)");
        }
        return pool;
    }

    /** All pools by model, without those of {@link #poolOfRole}; in no order. */
    Collection<WorkerPool> pools() {
        List<WorkerPool> all = new ArrayList<>();
        pools.values().forEach(ofRole -> all.addAll(ofRole.values()));
        return Collections.unmodifiableList(all);
    }

    /** Names served by any worker (drained ones excluded), sorted, without {@code unknown}. */
    public List<String> models() {
        return models;
    }

    public @Nullable Worker byId(WorkerId id) {
        return byId.get(id);
    }

    /** @param url in the form of {@link WorkerUrl} */
    public @Nullable Worker byUrl(URI url) {
        return byUrl.get(url);
    }
}
