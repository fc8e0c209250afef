package io.kvgate.server.admin;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.server.http.ControlRequest;
import io.kvgate.server.http.ControlResponse;
import io.kvgate.server.http.ControlRoute;
import io.kvgate.server.monitor.EngineJson;
import io.kvgate.server.monitor.Fleet;
import io.kvgate.server.monitor.LoadReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The routes over a fleet of stub engines, called as the front end calls them. */
final class AdminFixture implements AutoCloseable {
    final Fleet fleet = new Fleet();
    final ReadinessCheck readiness = new ReadinessCheck(fleet.registry, fleet.metrics);
    final AdminRoutes routes = new AdminRoutes(new AdminRoutes.Parts(
            fleet.registry,
            fleet.http,
            new LoadReader(fleet.registry, fleet.http, fleet.ticker, Duration.ofSeconds(20)),
            readiness,
            HealthSettings.DEFAULT,
            fleet.metrics,
            fleet.ticker));

    ControlRoute route(String path) {
        return requireNonNull(routes.route(path), path);
    }

    ControlResponse call(String method, String target, String body) {
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        String query = mark < 0 ? "" : target.substring(mark + 1);
        ControlRequest request =
                new ControlRequest(method, path, query, Map.of(), body.getBytes(StandardCharsets.UTF_8));
        try {
            return route(path).handle(request).toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw unwrap(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException("no answer", e);
        }
    }

    private static RuntimeException unwrap(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof GatewayException refused ? refused : new IllegalStateException(cause);
    }

    ControlResponse get(String target) {
        return call("GET", target, "");
    }

    JsonNode getJson(String target) {
        ControlResponse response = get(target);
        if (!response.contentType().equals("application/json")) {
            throw new IllegalStateException("content type " + response.contentType());
        }
        return json(response);
    }

    static JsonNode json(ControlResponse response) {
        return requireNonNull(EngineJson.parse(response.body()));
    }

    static String text(ControlResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        fleet.close();
    }
}
