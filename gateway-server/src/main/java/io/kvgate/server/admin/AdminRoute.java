package io.kvgate.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.server.http.ControlRequest;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A route made of a function.
 *
 * @param methods as in {@link ControlRoute}
 * @param access as in {@link ControlRoute}
 * @param handler answers; may throw a {@link GatewayException} at once, which is as good as one in the stage
 */
record AdminRoute(
        Set<String> methods, Access access, Function<ControlRequest, CompletionStage<ControlResponse>> handler)
        implements ControlRoute {
    static AdminRoute get(Access access, Function<ControlRequest, CompletionStage<ControlResponse>> handler) {
        return new AdminRoute(Set.of("GET"), access, handler);
    }

    static AdminRoute post(Access access, Function<ControlRequest, CompletionStage<ControlResponse>> handler) {
        return new AdminRoute(Set.of("POST"), access, handler);
    }

    @Override
    public CompletionStage<ControlResponse> handle(ControlRequest request) {
        try {
            return handler.apply(request);
        } catch (GatewayException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** A JSON answer. */
    static ControlResponse json(int status, JsonNode body) {
        return ControlResponse.json(status, body.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** A JSON answer that is there already. */
    static CompletionStage<ControlResponse> done(int status, JsonNode body) {
        return CompletableFuture.completedFuture(json(status, body));
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
