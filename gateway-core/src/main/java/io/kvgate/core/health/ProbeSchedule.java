package io.kvgate.core.health;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerStatus;

/**
 * One worker's probes: which is out, when the next is due, how many failed or succeeded in a row.
 *
 * <p>Threading: confined to the monitor's thread.
 */
final class ProbeSchedule {
    /** The worker; its status and settings are read afresh at each use. */
    final Worker worker;

    private final long addedNanos;
    private long dueNanos;
    private long startedNanos;
    private long deadlineNanos;
    private long number;
    private boolean out;
    private boolean newcomer;
    private int failures;
    private int successes;
    /** When the last probe that counted as a failure began; says something while {@code failures > 0}. */
    private long failedNanos;

    /** The first probe is due at once. */
    ProbeSchedule(Worker worker, long nowNanos) {
        this.worker = worker;
        addedNanos = nowNanos;
        dueNanos = nowNanos;
        newcomer = true;
    }

    long ageNanos(long nowNanos) {
        return nowNanos - addedNanos;
    }

    boolean isDue(long nowNanos) {
        return !out && nowNanos - dueNanos >= 0;
    }

    boolean timedOut(long nowNanos) {
        return out && nowNanos - deadlineNanos >= 0;
    }

    long waitedNanos(long nowNanos) {
        return nowNanos - startedNanos;
    }

    long nanosUntilDue(long nowNanos) {
        return Math.max(0, (out ? deadlineNanos : dueNanos) - nowNanos);
    }

    /** Marks a probe as out and returns its number. */
    long begin(long nowNanos, long timeoutNanos) {
        out = true;
        startedNanos = nowNanos;
        deadlineNanos = nowNanos + timeoutNanos;
        return ++number;
    }

    /** Whether this is the probe that is out; an answer that comes too late is not. */
    boolean answers(long probe) {
        return out && probe == number;
    }

    void end() {
        out = false;
    }

    /** Forgets a probe that is out, and the row before it: what it says no longer matters. */
    void abandon() {
        out = false;
        failures = 0;
        successes = 0;
    }

    void succeeded() {
        failures = 0;
        successes++;
    }

    /** A request that ended well breaks the row, if the worker is one that gets requests. */
    void failed() {
        successes = 0;
        boolean ready = worker.status() == WorkerStatus.READY;
        if (ready && worker.succeededSince(startedNanos)) {
            failures = 0;
            return;
        }
        if (ready && failures > 0 && worker.succeededSince(failedNanos)) {
            failures = 0;
        }
        failures++;
        failedNanos = startedNanos;
    }

    int failuresInARow() {
        return failures;
    }

    int successesInARow() {
        return successes;
    }

    /** It has become READY; the rows before that are over. */
    void joined() {
        failures = 0;
        successes = 0;
        newcomer = true;
    }

    /** Whether its next pause is the first since it became READY. */
    boolean isNewcomer() {
        return newcomer;
    }

    void next(long nowNanos, long pauseNanos) {
        dueNanos = nowNanos + pauseNanos;
        if (worker.status() == WorkerStatus.READY) {
            newcomer = false;
        }
    }

    /** Brings the next probe forward, if it is further away than that. */
    void atMost(long pauseNanos, long nowNanos) {
        if (!out && dueNanos - nowNanos > pauseNanos) {
            dueNanos = nowNanos + pauseNanos;
        }
    }
}
