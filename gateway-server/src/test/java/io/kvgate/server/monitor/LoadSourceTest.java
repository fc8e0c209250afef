package io.kvgate.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.WorkerLoad;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadSourceTest {
    private static @Nullable WorkerLoad parse(LoadSource source, String body) {
        return source.parse(body.getBytes(StandardCharsets.UTF_8), 7);
    }

    @Test
    void getLoad_ranks_areSummed() {
        assertThat(parse(LoadSource.GET_LOAD, """
                        [{"dp_rank":0,"num_reqs":5,"num_waiting_reqs":2,"num_tokens":100},
                         {"dp_rank":1,"num_reqs":1,"num_waiting_reqs":0,"num_tokens":50}]
                        """)).isEqualTo(new WorkerLoad(4, 2, 150, Double.NaN, 7));
    }

    @Test
    void v1Loads_perRank_areSummedAndUsageAveraged() {
        assertThat(parse(LoadSource.V1_LOADS, """
                        {"loads":[{"num_running_reqs":3,"num_waiting_reqs":1,"num_used_tokens":10,"token_usage":0.2},
                                  {"num_running_reqs":1,"num_waiting_reqs":0,"num_used_tokens":30,"token_usage":0.4}],
                         "aggregate":{"total_running_reqs":99}}
                        """)).satisfies(load -> {
            assertThat(load).isNotNull();
            assertThat(load.runningRequests()).isEqualTo(4);
            assertThat(load.waitingRequests()).isEqualTo(1);
            assertThat(load.tokens()).isEqualTo(40);
            assertThat(load.kvUsage()).isBetween(0.299, 0.301);
        });
    }

    @Test
    void v1Loads_aggregateOnly_isTaken() {
        assertThat(parse(
                        LoadSource.V1_LOADS,
                        "{\"aggregate\":{\"total_running_reqs\":4,\"total_waiting_reqs\":1,\"total_tokens\":900}}"))
                .isEqualTo(new WorkerLoad(4, 1, 900, Double.NaN, 7));
    }

    @Test
    void load_vllm_isServerLoad() {
        assertThat(parse(LoadSource.LOAD, "{\"server_load\":3}")).isEqualTo(new WorkerLoad(3, -1, -1, Double.NaN, 7));
    }

    @Test
    void metrics_vllm_sumsEngines() {
        assertThat(parse(LoadSource.METRICS, """
                        # TYPE vllm:num_requests_running gauge
                        vllm:num_requests_running{engine="0"} 3.0
                        vllm:num_requests_running{engine="1"} 2.0
                        vllm:num_requests_waiting{engine="0"} 1.0
                        vllm:num_requests_waiting_by_reason{reason="capacity"} 1.0
                        vllm:kv_cache_usage_perc{engine="0"} 0.5
                        vllm:kv_cache_usage_perc{engine="1"} 0.25
                        """)).isEqualTo(new WorkerLoad(5, 1, -1, 0.375, 7));
    }

    @Test
    void metrics_sglang_isUnderstood() {
        assertThat(
                        parse(
                                LoadSource.METRICS,
                                "sglang:num_running_reqs 3\nsglang:num_queue_reqs 2\nsglang:num_used_tokens 80\nsglang:token_usage 0.1\n"))
                .isEqualTo(new WorkerLoad(3, 2, 80, 0.1, 7));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "[]",
                "{}",
                "null",
                "\"x\"",
                "[1,2]",
                "{\"loads\":7}",
                "{\"loads\":[null,3]}",
                "{\"server_load\":-1}",
                "{\"server_load\":\"3\"}",
                "[{\"num_tokens\":-5}]",
                "[{\"num_tokens\":1e99}]",
                "vllm:num_requests_running NaN",
                "vllm:num_requests_running -1"
            })
    void parse_hostile_isUnknownForEverySource(String body) {
        for (LoadSource source : LoadSource.values()) {
            assertThat(parse(source, body)).as(source.name()).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(LoadSource.class)
    void label_isLowerCase(LoadSource source) {
        assertThat(source.label()).isNotEmpty().isLowerCase();
    }
}
