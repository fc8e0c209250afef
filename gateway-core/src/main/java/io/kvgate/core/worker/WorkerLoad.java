package io.kvgate.core.worker;

/**
 * What an engine said of its own load at one moment. A poll that failed leaves no such value: unknown is never "least loaded".
 *
 * @param runningRequests requests in the running batch; −1 if the engine does not say
 * @param waitingRequests requests queued in the engine; −1 if it does not say
 * @param tokens tokens in use or queued; −1 if it does not say
 * @param kvUsage share of the KV pool in use, 0 to 1; NaN if it does not say
 * @param atNanos when it was read, on the gateway's ticker
 */
public record WorkerLoad(long runningRequests, long waitingRequests, long tokens, double kvUsage, long atNanos) {}
