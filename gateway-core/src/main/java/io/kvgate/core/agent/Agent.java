package io.kvgate.core.agent;

/**
 * Work that goes on beside requests, in small steps.
 *
 * <p>Threading: all methods are called by one thread, that of the {@link AgentRunner} or of a test.
 */
public interface Agent {
    /** Names the thread and the log lines: short, lower case. */
    String roleName();

    /**
     * Called once before the first step.
     *
     * @param wakeUp may be called from any thread, to have the next step at once. It never blocks.
     */
    default void onStart(Runnable wakeUp) {}

    /**
     * Does what is due and returns; must not block.
     *
     * @param nowNanos the ticker's time
     * @return nanoseconds until the next step is wanted; 0 or less: at once. It may come sooner.
     */
    long doWork(long nowNanos);

    /** Called once after the last step. */
    default void onClose() {}
}
