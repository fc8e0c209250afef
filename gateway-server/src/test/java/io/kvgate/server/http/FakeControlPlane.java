package io.kvgate.server.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The paths {@code /later} (answered when the test says so), {@code /now} (at once, with the body) and {@code /throws}. */
final class FakeControlPlane implements ControlPlane {
    final List<ControlRequest> asked = new ArrayList<>();
    final List<CompletableFuture<ControlResponse>> later = new ArrayList<>();

    @Override
    public @Nullable ControlRoute route(String path) {
        return switch (path) {
            case "/later", "/now", "/throws" -> new Route(path);
            default -> null;
        };
    }

    private final class Route implements ControlRoute {
        private final String path;

        Route(String path) {
            this.path = path;
        }

        @Override
        public Set<String> methods() {
            return Set.of("POST", "GET");
        }

        @Override
        public Access access() {
            return Access.KEY;
        }

        @Override
        public CompletionStage<ControlResponse> handle(ControlRequest request) {
            asked.add(request);
            if (path.equals("/throws")) {
                throw new IllegalStateException("on purpose");
            }
            CompletableFuture<ControlResponse> answer = new CompletableFuture<>();
            if (path.equals("/now")) {
                answer.complete(ControlResponse.json(200, request.body()));
            } else {
                later.add(answer);
            }
            return answer;
        }
    }
}
