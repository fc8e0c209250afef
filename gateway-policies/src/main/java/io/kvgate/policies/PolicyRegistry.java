package io.kvgate.policies;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerId;
import io.kvgate.core.worker.WorkerSnapshot;
import io.kvgate.policies.radix.PrefixTrees;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy instance of each pool. A pool's first worker may name its policy by the label {@code policy}; else the configured
 * default holds. Later hints are not heard until the pool has lost its last worker.
 *
 * <p>Threading: {@link #policyOf} from any thread, usually without a lock. {@link #onWorkerEvent} is called by the worker registry,
 * one event at a time; {@link #maintain} by one thread of its own.
 */
public final class PolicyRegistry {
    /** The worker label that names a policy. */
    public static final String HINT_LABEL = "policy";

    private static final Logger log = LoggerFactory.getLogger(PolicyRegistry.class);

    private final PolicyConfig config;
    private final PolicySettings settings;
    private final PolicyServices services;
    private final Map<PoolKey, LoadBalancingPolicy> policies = new ConcurrentHashMap<>();
    private final Object lock = new Object();

    /** In which pools each worker is, as of the last event. */
    @GuardedBy("lock")
    private final Map<WorkerId, Set<PoolKey>> poolsOfWorker = new HashMap<>();

    /** Workers whose part in the prefix trees is shown. */
    @GuardedBy("lock")
    private final Set<WorkerId> measured = new HashSet<>();

    @GuardedBy("lock")
    private boolean treesMeasured;

    /** Grows only: a prompt that is read in vain costs little, one that is missing costs the cache. */
    private volatile boolean needsPrompt;

    private volatile boolean usesEngineLoad;

    /** @param policy a name or alias, any case @throws IllegalArgumentException unknown name; the message lists the known ones */
    public PolicyRegistry(String policy, PolicySettings settings, PolicyServices services) {
        this.settings = requireNonNull(settings, "settings");
        this.services = requireNonNull(services, "services");
        config = settings.named(policy);
        needsPrompt = config.create(services).needsPrompt();
        usesEngineLoad = config.usesEngineLoad();
        services.metrics().observe(GatewayMeter.MANUAL_ENTRIES, this::rememberedKeys);
    }

    private double rememberedKeys() {
        return policies.values().stream()
                .mapToLong(LoadBalancingPolicy::rememberedKeys)
                .sum();
    }

    /** The default policy. */
    public PolicyConfig config() {
        return config;
    }

    /** Whether any policy in force looks at the prompt. */
    public boolean needsPrompt() {
        return needsPrompt;
    }

    /** Whether any policy in force makes use of what engines report of their load. */
    public boolean usesEngineLoad() {
        return usesEngineLoad;
    }

    /** The pool's policy, made on first use. Cheap: called per selection. */
    public LoadBalancingPolicy policyOf(PoolKey key) {
        LoadBalancingPolicy policy = policies.get(key);
        return policy != null ? policy : policies.computeIfAbsent(key, absent -> config.create(services));
    }

    /** Lets every policy do what is due by time. */
    public void maintain() {
        policies.values().forEach(LoadBalancingPolicy::maintain);
    }

    /** Hears the hints of new workers; passes removals on; drops the policies of pools that have no worker left. */
    public void onWorkerEvent(WorkerEvent event) {
        if (event instanceof WorkerEvent.StatusChanged) {
            return;
        }
        Worker worker = event.worker();
        Set<PoolKey> now = event instanceof WorkerEvent.Removed ? Set.of() : poolsOf(worker);
        Set<PoolKey> left;
        Set<PoolKey> inUse = new HashSet<>();
        List<LoadBalancingPolicy> dropped = new ArrayList<>();
        synchronized (lock) {
            now.forEach(key -> hear(key, worker, dropped));
            Set<PoolKey> before =
                    now.isEmpty() ? poolsOfWorker.remove(worker.id()) : poolsOfWorker.put(worker.id(), now);
            left = new HashSet<>(before == null ? Set.of() : before);
            poolsOfWorker.values().forEach(inUse::addAll);
        }
        left.removeAll(now);
        for (PoolKey key : left) {
            LoadBalancingPolicy policy = inUse.contains(key) ? policies.get(key) : policies.remove(key);
            if (policy != null) {
                policy.onWorkerRemoved(worker);
                if (!inUse.contains(key)) {
                    dropped.add(policy);
                }
            }
        }
        dropped.forEach(LoadBalancingPolicy::onDropped);
        measure(worker, now);
    }

    /** Shows what the prefix trees believe of a worker, once a policy that has one serves it. The series goes with the worker. */
    private void measure(Worker worker, Set<PoolKey> keys) {
        boolean wanted = keys.stream().anyMatch(key -> policyOf(key) instanceof CacheAwarePolicy);
        boolean first;
        synchronized (lock) {
            if (keys.isEmpty()) {
                measured.remove(worker.id());
                return;
            }
            if (!wanted || !measured.add(worker.id())) {
                return;
            }
            first = !treesMeasured;
            treesMeasured = true;
        }
        PrefixTrees trees = services.trees();
        services.metrics()
                .observe(
                        GatewayMeter.CACHE_AWARE_TREE_CHARS,
                        () -> (double) trees.characters(worker),
                        worker.spec().url().toString());
        if (first) {
            services.metrics().observe(GatewayMeter.CACHE_AWARE_TREE_BYTES, () -> (double) trees.bytes());
        }
    }

    @GuardedBy("lock")
    private void hear(PoolKey key, Worker worker, List<LoadBalancingPolicy> dropped) {
        String hint = worker.spec().labels().get(HINT_LABEL);
        boolean decided = poolsOfWorker.values().stream().anyMatch(keys -> keys.contains(key));
        if (hint == null) {
            return;
        }
        // Every worker is in the pool of all models, so what is said of that pool is said once.
        boolean ofAllModels = key.model().equals(WorkerSnapshot.ANY_MODEL);
        try {
            PolicyConfig named = settings.named(hint);
            if (decided) {
                String inForce = policyOf(key).name();
                if (!ofAllModels && !inForce.equals(named.name())) {
                    log.warn("Worker {}: label {}={} not heard, {} has {}", worker, HINT_LABEL, hint, key, inForce);
                }
                return;
            }
            LoadBalancingPolicy hinted = named.create(services);
            needsPrompt |= hinted.needsPrompt();
            usesEngineLoad |= named.usesEngineLoad();
            LoadBalancingPolicy before = policies.put(key, hinted);
            if (before != null) {
                dropped.add(before);
            }
        } catch (IllegalArgumentException e) {
            if (ofAllModels) {
                log.warn("Worker {}: label {}: {}; {} it is", worker, HINT_LABEL, e.getMessage(), config.name());
            }
        }
    }

    private static Set<PoolKey> poolsOf(Worker worker) {
        Set<PoolKey> keys = new HashSet<>();
        keys.add(new PoolKey(worker.spec().role(), WorkerSnapshot.ANY_MODEL));
        for (String model : worker.modelIds()) {
            keys.add(new PoolKey(worker.spec().role(), model));
        }
        return keys;
    }
}
