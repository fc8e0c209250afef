package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.server.routing.LoopContext;
import io.kvgate.server.routing.RequestHead;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides by path and method what a request is, and checks its key.
 *
 * <p>Threading: immutable; shared.
 */
final class Dispatcher {
    private static final Map<String, ApiEndpoint> ENDPOINTS = endpoints();
    private static final Set<String> PROBES = Set.of("/health", "/liveness", "/readiness");

    private final FrontServices services;

    Dispatcher(FrontServices services) {
        this.services = services;
    }

    private static Map<String, ApiEndpoint> endpoints() {
        Map<String, ApiEndpoint> byPath = new HashMap<>();
        for (ApiEndpoint endpoint : ApiEndpoint.values()) {
            byPath.put(endpoint.path(), endpoint);
        }
        return Map.copyOf(byPath);
    }

    /** Who takes the body; the request may be answered already. */
    Intake dispatch(ClientConnection connection, LoopContext loop, ClientResponse response, RequestFacts facts) {
        RequestHead head = response.head();
        if (head.method().equals(HttpMethod.OPTIONS) && head.headers().contains(HttpHeaderNames.ORIGIN)) {
            response.routed("preflight", null, true);
            response.answer(services.cors().preflight());
            return DiscardingIntake.INSTANCE;
        }
        ApiEndpoint endpoint = ENDPOINTS.get(head.path());
        if (endpoint != null) {
            return inference(endpoint, connection, loop, response, facts);
        }
        ControlRoute route = services.control().route(head.path());
        if (route != null) {
            return control(route, connection, loop, response);
        }
        response.routed("unmatched", null, false);
        response.fail(
                new GatewayException(ErrorCode.NOT_FOUND, "path: " + abbreviated(head.path()) + " is not served"));
        return DiscardingIntake.INSTANCE;
    }

    private Intake inference(
            ApiEndpoint endpoint,
            ClientConnection connection,
            LoopContext loop,
            ClientResponse response,
            RequestFacts facts) {
        RequestHead head = response.head();
        response.routed(endpoint.path(), endpoint, false);
        if (!head.method().equals(HttpMethod.POST)) {
            response.methodNotAllowed("POST");
            return DiscardingIntake.INSTANCE;
        }
        GatewayException refusal =
                services.auth().refusal(ControlRoute.Access.KEY, head.headers().get(HttpHeaderNames.AUTHORIZATION));
        if (refusal == null) {
            refusal = InferenceIntake.headRefusal(facts, services.listen().maxPayloadBytes());
        }
        if (refusal != null) {
            response.fail(refusal);
            return DiscardingIntake.INSTANCE;
        }
        return new InferenceIntake(connection, services, loop, endpoint, response);
    }

    private Intake control(ControlRoute route, ClientConnection connection, LoopContext loop, ClientResponse response) {
        RequestHead head = response.head();
        response.routed(label(head.path()), null, PROBES.contains(head.path()));
        String method = head.method().name();
        if (!route.methods().contains(method)
                && !(method.equals("HEAD") && route.methods().contains("GET"))) {
            response.methodNotAllowed(String.join(", ", new TreeSet<>(route.methods())));
            return DiscardingIntake.INSTANCE;
        }
        GatewayException refusal =
                services.auth().refusal(route.access(), head.headers().get(HttpHeaderNames.AUTHORIZATION));
        if (refusal != null) {
            response.fail(refusal);
            return DiscardingIntake.INSTANCE;
        }
        return new ControlIntake(route, connection, response, loop.loop(), services);
    }

    /** A path with an id in it counts under the path's pattern, so that labels stay a closed set. */
    private static String label(String path) {
        for (String prefix : new String[] {"/workers/", "/v1/models/", "/v1/responses/"}) {
            if (path.startsWith(prefix)) {
                return prefix + "{id}";
            }
        }
        return path;
    }

    private static String abbreviated(String path) {
        return path.length() <= 128 ? path : path.substring(0, 128) + "…";
    }
}
