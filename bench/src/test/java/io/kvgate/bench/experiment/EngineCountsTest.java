package io.kvgate.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class EngineCountsTest {
    @Test
    void of_sumsTheRanksOfTheTwoCounters() {
        EngineCounts counts = EngineCounts.of(new MetricsPage("""
                # TYPE vllm:prompt_tokens_total counter
                vllm:prompt_tokens_total{engine="0",model_name="m"} 1.5E3
                vllm:prompt_tokens_total{engine="1",model_name="m"} 500.0
                vllm:prompt_tokens_total_other{engine="1"} 7.0
                vllm:prefix_cache_hits_total{engine="0",model_name="m"} 320.0
                """));
        ;

        assertThat(counts).isEqualTo(new EngineCounts(2_000, 320));
        assertThat(counts.minus(new EngineCounts(500, 20))).isEqualTo(new EngineCounts(1_500, 300));
    }

    @Test
    void of_withoutThem_isZero() {
        assertThat(EngineCounts.of(new MetricsPage("up 1\n"))).isEqualTo(new EngineCounts(0, 0));
    }
}
