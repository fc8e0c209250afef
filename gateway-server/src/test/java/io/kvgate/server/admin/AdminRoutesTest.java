package io.kvgate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.server.http.ControlRoute;
import io.kvgate.server.http.ControlRoute.Access;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdminRoutesTest {
    private final AdminFixture admin = new AdminFixture();

    @AfterEach
    void close() {
        admin.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/liveness,GET,PUBLIC",
        "/health,GET,PUBLIC",
        "/readiness,GET,PUBLIC",
        "/health_generate,GET,PUBLIC",
        "/engine_metrics,GET,PUBLIC",
        "/v1/models,GET,PUBLIC",
        "/v1/models/a/b,GET,PUBLIC",
        "/get_model_info,GET,PUBLIC",
        "/model_info,GET,PUBLIC",
        "/get_server_info,GET,PUBLIC",
        "/server_info,GET,PUBLIC",
        "/flush_cache,POST,ADMIN",
        "/abort_request,POST,ADMIN",
        "/get_loads,GET,ADMIN",
        "/v1/loads,GET,ADMIN",
        "/workers,GET POST,ADMIN",
        "/workers/x,GET PUT DELETE,ADMIN"
    })
    void route_knownPath_hasMethodsAndAccess(String path, String methods, Access access) {
        ControlRoute route = admin.route(path);

        assertThat(route.methods()).isEqualTo(Set.of(methods.split(" ")));
        assertThat(route.access()).isEqualTo(access);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "", "/workers/", "/v1/models/", "/health/", "/metrics", "/v1/chat/completions", "/HEALTH"})
    void route_otherPath_isNone(String path) {
        assertThat(admin.routes.route(path)).isNull();
    }

    @Test
    void route_samePath_isSameRoute() {
        assertThat(admin.routes.route("/health")).isSameAs(admin.routes.route("/health"));
    }
}
