package io.kvgate.core.worker;

/**
 * An engine's word on its load, beside what this gateway had in flight there when it came. The difference of the two is the work
 * of others.
 *
 * @param load the engine's word
 * @param inFlight this gateway's own requests at that moment
 */
public record LoadReport(WorkerLoad load, int inFlight) {}
