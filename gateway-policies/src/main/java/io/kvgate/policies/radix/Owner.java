package io.kvgate.policies.radix;

import io.kvgate.core.worker.Worker;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A worker's stay in one tree. A worker that is removed and comes back gets a new one.
 *
 * <p>Threading: any thread. The count changes together with ownership, under the node's monitor; the flag is set once, by the removal.
 */
final class Owner {
    final Worker worker;

    /** Unique in the tree; nodes keep their tenancies in this order. */
    final int serial;

    /** Characters of all nodes it owns. */
    final AtomicLong characters = new AtomicLong();

    /** Set before the removal walks the tree: nothing is given to it any more. */
    volatile boolean removed;

    Owner(Worker worker, int serial) {
        this.worker = worker;
        this.serial = serial;
    }
}
