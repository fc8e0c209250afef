package io.kvgate.core.worker;

import io.kvgate.core.resilience.CircuitBreaker;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The guard of one request at one worker. The value is what has happened so far: open, judged, closed.
 *
 * <p>Threading: meant for one event loop; atomic all the same, for a guard closed twice would let a count drift for ever.
 */
final class Stay extends AtomicInteger implements LoadGuard {
    private static final int OPEN = 0;
    private static final int JUDGED = 1;
    private static final int CLOSED = 2;

    private final Worker worker;
    private final CircuitBreaker.Permit permit;

    Stay(Worker worker, CircuitBreaker.Permit permit) {
        this.worker = worker;
        this.permit = permit;
    }

    @Override
    public Worker worker() {
        return worker;
    }

    @Override
    public void succeeded() {
        if (compareAndSet(OPEN, JUDGED)) {
            worker.succeeded();
            permit.success();
        }
    }

    @Override
    public void failed() {
        if (compareAndSet(OPEN, JUDGED)) {
            worker.failed();
            permit.failure();
        }
    }

    @Override
    public void ignored() {
        if (compareAndSet(OPEN, JUDGED)) {
            permit.ignore();
        }
    }

    @Override
    public void close() {
        int before = getAndSet(CLOSED);
        if (before == CLOSED) {
            return;
        }
        if (before == OPEN) {
            permit.ignore();
        }
        worker.leave();
    }
}
