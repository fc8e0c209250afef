package io.kvgate.bench.engine.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The knobs of one engine: which faults its requests meet and how it answers probes. Several faults may be on at
 * once; a request meets those that are on when its body has arrived.
 *
 * <p>Threading: any thread may turn a knob or read one at any time.
 */
public final class Faults {
    private static final int UNLIMITED = -1;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final List<Entry> entries = new ArrayList<>();

    @GuardedBy("lock")
    private HealthFault badHealth = HealthFault.none();

    @GuardedBy("lock")
    private int goodProbes = 1;

    @GuardedBy("lock")
    private int badProbes;

    @GuardedBy("lock")
    private int probes;

    /** All inference requests from now on meet this fault. */
    public void always(Fault fault) {
        synchronized (lock) {
            entries.add(new Entry(fault, UNLIMITED));
        }
    }

    /** The next {@code count} inference requests meet this fault. */
    public void next(int count, Fault fault) {
        if (count < 1) {
            throw new IllegalArgumentException("count: " + count + " (expected: >= 1)");
        }
        synchronized (lock) {
            entries.add(new Entry(fault, count));
        }
    }

    /** Every probe from now on is answered like this. */
    public void health(HealthFault fault) {
        flapHealth(0, 1, fault);
    }

    /** Probes are answered well {@code good} times, then {@code bad} times like this, and so on. */
    public void flapHealth(int good, int bad, HealthFault fault) {
        if (good < 0 || bad < 0 || good + bad < 1) {
            throw new IllegalArgumentException("good, bad: " + good + ", " + bad + " (expected: >= 0, not both 0)");
        }
        synchronized (lock) {
            badHealth = fault;
            goodProbes = good;
            badProbes = bad;
            probes = 0;
        }
    }

    /** Turns everything off. Requests that met a fault already keep it. */
    public void clear() {
        synchronized (lock) {
            entries.clear();
            badHealth = HealthFault.none();
            goodProbes = 1;
            badProbes = 0;
        }
    }

    /** The faults of the next request; uses up one of each limited fault. */
    public FaultPlan take() {
        synchronized (lock) {
            List<Fault> taken = new ArrayList<>();
            for (Iterator<Entry> all = entries.iterator(); all.hasNext(); ) {
                Entry entry = all.next();
                taken.add(entry.fault);
                if (entry.left != UNLIMITED && --entry.left == 0) {
                    all.remove();
                }
            }
            return new FaultPlan(taken);
        }
    }

    /** How to answer the next probe. */
    public HealthFault takeHealth() {
        synchronized (lock) {
            return probes++ % (goodProbes + badProbes) < goodProbes ? HealthFault.none() : badHealth;
        }
    }

    private static final class Entry {
        final Fault fault;
        int left;

        Entry(Fault fault, int left) {
            this.fault = fault;
            this.left = left;
        }
    }
}
