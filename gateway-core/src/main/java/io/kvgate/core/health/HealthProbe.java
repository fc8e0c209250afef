package io.kvgate.core.health;

import io.kvgate.core.worker.Worker;
import java.util.function.Consumer;

/**
 * Asks one worker how it is.
 *
 * <p>Threading: called on the monitor's thread and must not block it; the answer may come on any thread.
 */
@FunctionalInterface
public interface HealthProbe {
    /**
     * Probes by the settings of the worker's spec.
     *
     * @param onResult to be called once. An answer after the probe's time-out is dropped; none at all counts as a failure then.
     */
    void probe(Worker worker, Consumer<ProbeResult> onResult);
}
