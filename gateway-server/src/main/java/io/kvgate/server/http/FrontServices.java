package io.kvgate.server.http;

import io.kvgate.core.time.Ticker;
import io.kvgate.server.config.ListenConfig;
import io.kvgate.server.routing.RequestRouter;
import io.kvgate.server.routing.RoutingServices;
import java.util.concurrent.Executor;

/**
 * What every client connection uses. Immutable; shared by all event loops.
 *
 * @param listen limits of the listener
 * @param control the gateway's own API
 * @param router where inference requests go
 * @param routing what they use there
 * @param admission limits before the body
 * @param auth keys
 * @param ids request ids
 * @param cors what browsers may do
 * @param budget memory for bodies
 * @param meters counts
 * @param log access log
 * @param parsing where large bodies are parsed, so that no event loop waits for them
 * @param drain whether the gateway is shutting down
 * @param ticker the clock
 */
record FrontServices(
        ListenConfig listen,
        ControlPlane control,
        RequestRouter router,
        RoutingServices routing,
        AdmissionGate admission,
        Authenticator auth,
        RequestIds ids,
        Cors cors,
        BodyBudget budget,
        HttpMeters meters,
        RequestLog log,
        Executor parsing,
        DrainFlag drain,
        Ticker ticker) {}
