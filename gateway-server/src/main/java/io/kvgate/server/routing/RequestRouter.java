package io.kvgate.server.routing;

/**
 * Takes a request to the worker or workers that serve it.
 *
 * <p>Threading: one instance for all event loops; each call stays on its request's.
 */
public interface RequestRouter {
    /** Starts the way of a request; called once. Whatever happens then ends in the exchange. */
    void route(Exchange exchange);

    /** An attempt ended without an answer that may be passed on. The exchange has no attempt under way. */
    void onAttemptFailed(Exchange exchange, AttemptFailure failure);
}
