package io.kvgate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.monitor.Fleet;
import io.kvgate.server.monitor.StubEngine;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModelRoutesTest {
    private final AdminFixture admin = new AdminFixture();
    private final Fleet fleet = admin.fleet;

    @AfterEach
    void close() {
        admin.close();
    }

    private StubEngine serving(String... ids) {
        StringBuilder cards = new StringBuilder();
        for (String id : ids) {
            cards.append(cards.isEmpty() ? "" : ",")
                    .append("{\"id\":\"" + id + "\",\"object\":\"model\",\"owned_by\":\"vllm\",\"max_model_len\":9}");
        }
        return fleet.engine().on("/v1/models", 200, "{\"object\":\"list\",\"data\":[" + cards + "]}");
    }

    /** Field report 112: one dead, two that share a model. */
    @Test
    void list_overlappingAndDead_isMergedWithoutDoubles() {
        fleet.ready(serving("a", "b"), "vllm", "a", "b");
        fleet.ready(serving("b", "c"), "vllm", "b", "c");
        fleet.pending(Fleet.deadUrl(), null);
        StubEngine gone = serving("d");
        fleet.ready(gone, "vllm", "d");
        gone.close();

        JsonNode body = admin.getJson("/v1/models");

        assertThat(body.get("object").textValue()).isEqualTo("list");
        assertThat(body.get("data").findValuesAsText("id")).containsExactly("a", "b", "c", "d");
        assertThat(body.at("/data/0").toString())
                .isEqualTo("{\"id\":\"a\",\"object\":\"model\",\"owned_by\":\"vllm\",\"max_model_len\":9}");
        assertThat(body.at("/data/3/owned_by").textValue()).isEqualTo("kvgate");
        assertThat(body.toString()).doesNotContain("127.0.0.1");
    }

    @Test
    void list_hostileEngine_namesStay() {
        fleet.ready(fleet.engine().on("/v1/models", 200, "{\"data\":[[],7,{\"id\":{}}]}"), "vllm", "a");

        assertThat(admin.getJson("/v1/models").get("data").findValuesAsText("id"))
                .containsExactly("a");
    }

    @Test
    void list_nameGivenByOperator_replacesEngines() {
        StubEngine engine = serving("engine-name");
        WorkerSpec plain = Fleet.spec(engine.url(), null);
        Worker worker = fleet.registry.add(new WorkerSpec(
                plain.url(), plain.role(), "given", null, 50, 1.0, plain.labels(), null, plain.health()));
        fleet.registry.setStatus(worker, WorkerStatus.READY, "");

        JsonNode data = admin.getJson("/v1/models").get("data");

        assertThat(data.findValuesAsText("id")).containsExactly("given");
        assertThat(data.at("/0/max_model_len").intValue()).isEqualTo(9);
    }

    @Test
    void list_readyWorkerWithoutName_isEmptyList() {
        fleet.ready(fleet.engine(), "unknown");

        assertThat(admin.getJson("/v1/models").toString()).isEqualTo("{\"object\":\"list\",\"data\":[]}");
    }

    @Test
    void list_noWorkerReady_is503() {
        assertThat(code("/v1/models")).isEqualTo(ErrorCode.NO_WORKERS);

        fleet.pending(Fleet.deadUrl(), null);
        assertThat(code("/v1/models")).isEqualTo(ErrorCode.NO_AVAILABLE_WORKERS);
    }

    private ErrorCode code(String path) {
        return catchThrowableOfType(GatewayException.class, () -> admin.get(path))
                .code();
    }

    @Test
    void list_again_isKeptForSeconds_butNotOverChanges() {
        StubEngine engine = serving("a");
        Worker worker = fleet.ready(engine, "vllm", "a");
        admin.get("/v1/models");
        admin.get("/v1/models");
        assertThat(engine.count("/v1/models")).isEqualTo(1);

        fleet.ticker.advance(Duration.ofSeconds(11));
        admin.get("/v1/models");
        assertThat(engine.count("/v1/models")).isEqualTo(2);

        fleet.ready(serving("b"), "vllm", "b");
        assertThat(admin.getJson("/v1/models").get("data").size()).isEqualTo(2);
        fleet.registry.remove(worker, "test");
        assertThat(admin.getJson("/v1/models").get("data").findValuesAsText("id"))
                .containsExactly("b");
    }

    @Test
    void item_idWithSlash_isFoundPlainAndEscaped() {
        fleet.ready(serving("org/m+1"), "vllm", "org/m+1");

        assertThat(admin.getJson("/v1/models/org/m+1").get("id").textValue()).isEqualTo("org/m+1");
        assertThat(admin.getJson("/v1/models/org%2Fm%2B1").get("id").textValue())
                .isEqualTo("org/m+1");
    }

    @Test
    void item_unknownOrMalformed_isRefused() {
        fleet.ready(serving("a"), "vllm", "a");

        assertThat(code("/v1/models/b")).isEqualTo(ErrorCode.MODEL_NOT_FOUND);
        assertThat(code("/v1/models/%zz")).isEqualTo(ErrorCode.INVALID_REQUEST);
    }
}
