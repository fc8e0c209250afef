package io.kvgate.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerMetadata;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerMetadataProbeTest {
    private static final String SGLANG_INFO = """
            {"served_model_name":"m1","model_path":"/models/m1","tp_size":2,"dp_size":2,"max_total_num_tokens":1000,
             "api_key":"secret","internal_states":[{}]}
            """;

    private final Fleet fleet = new Fleet();
    private final WorkerMetadataProbe probe = new WorkerMetadataProbe(fleet.registry, fleet.http, Duration.ofMillis(1));

    @AfterEach
    void close() {
        fleet.close();
    }

    private WorkerMetadata ask(StubEngine engine) throws Exception {
        Worker worker = fleet.pending(engine.url(), null);
        probe.ask(worker).get(30, TimeUnit.SECONDS);
        return worker.metadata();
    }

    @Test
    void ask_sglang_readsNamesRanksAndPool() throws Exception {
        StubEngine engine = fleet.engine()
                .on("/server_info", 200, SGLANG_INFO)
                .on("/model_info", 200, "{\"model_type\":\"qwen\",\"architectures\":[\"Q\"],\"is_generation\":true}")
                .on("/v1/models", 200, "{\"data\":[{\"id\":\"m1\",\"max_model_len\":4096},{\"id\":\"lora\"}]}");

        WorkerMetadata metadata = ask(engine);

        assertThat(metadata.modelIds()).containsExactly("m1", "lora");
        assertThat(metadata.engine()).isEqualTo("sglang");
        assertThat(metadata.dpSize()).isEqualTo(2);
        assertThat(metadata.kvPoolTokens()).isEqualTo(2000);
        assertThat(metadata.labels())
                .containsEntry("model_path", "/models/m1")
                .containsEntry("tp_size", "2")
                .containsEntry("max_model_len", "4096")
                .containsEntry("model_type", "qwen")
                .containsEntry("architectures", "[\"Q\"]")
                .doesNotContainKey("api_key");
        assertThat(engine.count("/metrics")).isZero();
    }

    @Test
    void ask_olderSglang_usesOlderPaths() throws Exception {
        StubEngine engine = fleet.engine()
                .on("/get_server_info", 200, "{\"model_path\":\"/p\",\"max_total_num_tokens\":10}")
                .on("/get_model_info", 200, "{\"model_path\":\"/other\"}");

        WorkerMetadata metadata = ask(engine);

        assertThat(metadata.modelIds()).containsExactly("/p");
        assertThat(metadata.kvPoolTokens()).isEqualTo(10);
    }

    @Test
    void ask_vllm_sumsPoolFromMetrics() throws Exception {
        StubEngine engine = fleet.engine()
                .on("/v1/models", 200, "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\",\"max_model_len\":8192}]}")
                .on("/metrics", 200, """
                        vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="100"} 1.0
                        vllm:cache_config_info{block_size="16",engine="1",num_gpu_blocks="50"} 1.0
                        """);

        WorkerMetadata metadata = ask(engine);

        assertThat(metadata.engine()).isEqualTo("vllm");
        assertThat(metadata.modelIds()).containsExactly("m");
        assertThat(metadata.kvPoolTokens()).isEqualTo(2400);
        assertThat(metadata.labels()).containsEntry("max_model_len", "8192");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not json",
                "[]",
                "null",
                "42",
                "{",
                "{\"data\":5}",
                "{\"data\":[1,null,{}]}",
                "{\"data\":[{\"id\":7}]}",
                "{\"data\":[{\"id\":\"\"},{\"id\":\"a\\nb\"}]}",
                "{} {}"
            })
    void ask_hostileAnswers_giveUpAfterThreeTries(String hostile) throws Exception {
        StubEngine engine = fleet.engine().on("/v1/models", 200, hostile);

        WorkerMetadata metadata = ask(engine);

        assertThat(metadata.modelIds()).isEmpty();
        assertThat(metadata.dpSize()).isEqualTo(1);
        assertThat(engine.count("/v1/models")).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"served_model_name\":[\"x\"],\"dp_size\":-4,\"max_total_num_tokens\":\"many\"}",
                "{\"served_model_name\":{},\"dp_size\":1e300,\"max_total_num_tokens\":1e300}",
                "{\"served_model_name\":null,\"dp_size\":2147483648,\"max_total_num_tokens\":99999999999999999999}"
            })
    void ask_absurdServerInfo_readsAsUnknown(String absurd) throws Exception {
        StubEngine engine =
                fleet.engine().on("/server_info", 200, absurd).on("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");

        WorkerMetadata metadata = ask(engine);

        assertThat(metadata.modelIds()).containsExactly("m");
        assertThat(metadata.dpSize()).isEqualTo(1);
        assertThat(metadata.kvPoolTokens()).isZero();
    }

    @Test
    void ask_deepOrHugeAnswers_areTolerated() throws Exception {
        StubEngine engine = fleet.engine()
                .on("/server_info", 200, "{\"a\":" + "[".repeat(100_000))
                .on("/model_info", 200, "\"" + "x".repeat(2_000_000) + "\"")
                .on("/v1/models", 200, "{\"data\":[" + "{\"id\":\"m\"},".repeat(5_000) + "{\"id\":\"n\"}]}");

        assertThat(ask(engine).modelIds()).containsExactly("m", "n");
    }

    @Test
    void ask_nothingOffered_settlesAtOnce() throws Exception {
        StubEngine engine = fleet.engine();

        WorkerMetadata metadata = ask(engine);

        assertThat(metadata).isEqualTo(WorkerMetadata.UNKNOWN);
        assertThat(engine.count("/v1/models")).isEqualTo(1);
    }

    @Test
    void ask_modelGivenByOperator_doesNotRetryForIt() throws Exception {
        StubEngine engine = fleet.engine().on("/v1/models", 500, "");
        WorkerSpec plain = Fleet.spec(engine.url(), null);
        Worker worker = fleet.registry.add(new WorkerSpec(
                plain.url(), plain.role(), "given", null, 50, 1.0, plain.labels(), null, plain.health()));

        probe.ask(worker).get(30, TimeUnit.SECONDS);

        assertThat(worker.modelIds()).containsExactly("given");
        assertThat(engine.count("/v1/models")).isEqualTo(1);
    }

    @Test
    void ask_twice_asksEngineOnce_andAgainAfterNotReady() throws Exception {
        StubEngine engine = fleet.engine().on("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");
        Worker worker = fleet.pending(engine.url(), null);
        probe.ask(worker).get(30, TimeUnit.SECONDS);
        fleet.registry.setStatus(worker, WorkerStatus.READY, "");
        probe.ask(worker).get(30, TimeUnit.SECONDS);
        assertThat(engine.count("/v1/models")).isEqualTo(1);

        engine.on("/v1/models", 200, "{\"data\":[{\"id\":\"other\"}]}");
        fleet.registry.setStatus(worker, WorkerStatus.NOT_READY, "gone");
        probe.ask(worker).get(30, TimeUnit.SECONDS);

        assertThat(worker.modelIds()).containsExactly("other");
    }

    @Test
    void ask_keyWrongThenChanged_asksAgain() throws Exception {
        StubEngine engine = fleet.engine().requireKey("w-key").on("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");
        Worker worker = fleet.pending(engine.url(), "wrong");
        probe.ask(worker).get(30, TimeUnit.SECONDS);
        assertThat(worker.modelIds()).containsExactly("unknown");

        fleet.registry.update(
                worker,
                spec -> new WorkerSpec(
                        spec.url(), spec.role(), null, "w-key", 50, 1.0, spec.labels(), null, spec.health()));

        Awaitility.await().until(() -> worker.modelIds().contains("m"));
    }

    @Test
    void add_healthChecksOff_isAskedWithoutProbe() {
        StubEngine engine = fleet.engine().on("/v1/models", 200, "{\"data\":[{\"id\":\"m\"}]}");
        HealthSettings off = new HealthSettings("/health", Duration.ofSeconds(1), Duration.ofSeconds(1), 1, 1, true);
        WorkerSpec plain = Fleet.spec(engine.url(), null);

        Worker worker = fleet.registry.add(
                new WorkerSpec(plain.url(), plain.role(), null, null, 50, 1.0, plain.labels(), null, off));

        Awaitility.await().until(() -> worker.modelIds().contains("m"));
    }
}
