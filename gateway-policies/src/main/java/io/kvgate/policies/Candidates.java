package io.kvgate.policies;

import io.kvgate.core.worker.PoolKey;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerPool;
import io.kvgate.core.worker.WorkerRole;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The workers one selection may choose from: ready, admitted by their breakers, not tried by this request before.
 *
 * <p>One object per event loop is filled again for each selection, so choosing allocates nothing in proportion to the fleet.
 *
 * <p>Threading: confined to one event loop; a policy must not keep it.
 */
public final class Candidates {
    private Worker[] workers = new Worker[8];
    private int size;
    private Set<Worker> left = Set.of();
    private WorkerPool pool = new WorkerPool(new PoolKey(WorkerRole.REGULAR, "unknown"), List.of(), List.of());

    /**
     * Takes the pool's available workers that are not in {@code excluded}. Those that asked to be left alone come in only if there
     * is no other.
     */
    public Candidates fill(WorkerPool from, Set<Worker> excluded) {
        clear();
        pool = from;
        left = excluded;
        if (workers.length < from.ready().size()) {
            workers = new Worker[Math.max(from.ready().size(), workers.length * 2)];
        }
        if (take(from.ready(), excluded, false) && size == 0) {
            take(from.ready(), excluded, true);
        }
        return this;
    }

    /** @return whether a resting worker was left out */
    private boolean take(List<Worker> ready, Set<Worker> excluded, boolean evenResting) {
        boolean leftOut = false;
        for (int i = 0; i < ready.size(); i++) {
            Worker worker = ready.get(i);
            if (!worker.available() || (!excluded.isEmpty() && excluded.contains(worker))) {
                continue;
            }
            if (evenResting || !worker.resting()) {
                workers[size++] = worker;
            } else {
                leftOut = true;
            }
        }
        return leftOut;
    }

    /** Whether the worker was left out because the request has failed on it. */
    boolean excludes(Worker worker) {
        return left.contains(worker);
    }

    /** Forgets the workers, so that a removed one is not held here. */
    public void clear() {
        Arrays.fill(workers, 0, size, null);
        size = 0;
        left = Set.of();
    }

    /** Takes a worker out, after its breaker refused the permit; order of the others is kept. */
    public void remove(Worker worker) {
        for (int i = 0; i < size; i++) {
            if (workers[i] == worker) {
                System.arraycopy(workers, i + 1, workers, i, size - i - 1);
                workers[--size] = null;
                return;
            }
        }
    }

    public PoolKey key() {
        return pool.key();
    }

    /** The pool they come from, at the moment of the fill. */
    public WorkerPool pool() {
        return pool;
    }

    public boolean contains(Worker worker) {
        for (int i = 0; i < size; i++) {
            if (workers[i] == worker) {
                return true;
            }
        }
        return false;
    }

    /**
     * The same for a worker whose place among the pool's members is known: the look begins there, and ends at once if nobody before
     * it is missing.
     *
     * @param memberIndex its index in {@code pool().members()}
     */
    boolean contains(Worker worker, int memberIndex) {
        // Candidates are in the members' order with some left out, so it is at its index or before.
        for (int i = Math.min(memberIndex, size - 1); i >= 0; i--) {
            if (workers[i] == worker) {
                return true;
            }
        }
        return false;
    }

    /** Requests in flight at all of them; or at some, as soon as those have {@code enough}. */
    long inFlight(double enough) {
        Worker[] all = workers;
        int count = size;
        long total = 0;
        for (int i = 0; i < count && total < enough; i++) {
            total += all[i].inFlight();
        }
        return total;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** @param index 0 to size() − 1, in order of registration */
    public Worker get(int index) {
        return workers[Objects.checkIndex(index, size)];
    }
}
