package io.kvgate.policies;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerId;
import io.kvgate.core.worker.WorkerSnapshot;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * The policy instance of each pool, all by one configuration.
 *
 * <p>Threading: {@link #policyOf} from any thread, usually without a lock. {@link #onWorkerEvent} is called by the worker registry,
 * one event at a time.
 */
public final class PolicyRegistry {
    private final PolicyConfig config;
    private final RandomGenerator random;
    private final Ticker ticker;
    private final Map<PoolKey, LoadBalancingPolicy> policies = new ConcurrentHashMap<>();
    private final Object lock = new Object();

    /** In which pools each worker is, as of the last event. */
    @GuardedBy("lock")
    private final Map<WorkerId, Set<PoolKey>> poolsOfWorker = new HashMap<>();

    /** @param policy a name or alias, any case @throws IllegalArgumentException unknown name; the message lists the known ones */
    public PolicyRegistry(String policy, RandomGenerator random) {
        this(PolicyConfig.named(policy), random, Ticker.system());
    }

    /** @param random shared by all pools and threads, so it must allow that */
    public PolicyRegistry(PolicyConfig config, RandomGenerator random, Ticker ticker) {
        this.config = requireNonNull(config, "config");
        this.random = requireNonNull(random, "random");
        this.ticker = requireNonNull(ticker, "ticker");
    }

    /** Canonical names, sorted. */
    public static Set<String> names() {
        return PolicyConfig.names();
    }

    public PolicyConfig config() {
        return config;
    }

    /** The pool's policy, made on first use. Cheap: called per selection. */
    public LoadBalancingPolicy policyOf(PoolKey key) {
        LoadBalancingPolicy policy = policies.get(key);
        return policy != null ? policy : policies.computeIfAbsent(key, absent -> config.create(random, ticker));
    }

    /** Passes removals on; drops the policies of pools that have no worker left. */
    public void onWorkerEvent(WorkerEvent event) {
        if (event instanceof WorkerEvent.StatusChanged) {
            return;
        }
        Worker worker = event.worker();
        Set<PoolKey> now = event instanceof WorkerEvent.Removed ? Set.of() : poolsOf(worker);
        Set<PoolKey> left;
        Set<PoolKey> inUse = new HashSet<>();
        synchronized (lock) {
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
