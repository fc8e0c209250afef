package io.kvgate.server.e2e.kit;

/** What a worker does with one request. */
@FunctionalInterface
public interface Script {
    /** Answers, pauses, closes, resets. Returning leaves the connection open for the next request, unless it was closed. */
    void run(Exchange exchange) throws Exception;

    /** True: run as soon as the head is there; the script reads the body itself with {@link Exchange#readBody}. */
    default boolean beforeBody() {
        return false;
    }
}
