package io.kvgate.server.http;

/**
 * Whether the gateway is shutting down: connections are then closed after their answer.
 *
 * <p>Threading: any thread.
 */
public final class DrainFlag {
    private volatile boolean draining;

    public boolean draining() {
        return draining;
    }

    public void drain() {
        draining = true;
    }
}
