package io.kvgate.server.upstream;

/**
 * A request on its way to a worker.
 *
 * <p>Threading: confined to its event loop. All methods do nothing once the call is over.
 */
public interface UpstreamCall {
    /** Ends it at once by closing the connection, which is how an engine learns to stop working. */
    void cancel();

    /** Lets go of a response that will not be used: a short rest is read so that the connection can be kept. */
    void discard();

    /** Stops or goes on reading, for back-pressure. */
    void reading(boolean on);
}
