package io.kvgate.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.time.Ticker;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PolicyExperimentTest {
    private final ExperimentSetup setup = ExperimentSetup.of(
            Map.of("--workers", "2", "--rate", "4", "--speedup", "10", "--warm-up-secs", "1", "--secs", "1"));

    @Test
    void run_countsWhatEnginesAndClientsSay() throws Exception {
        Outcome outcome = new PolicyExperiment(setup, Ticker.system())
                .run(PolicyRun.of("round_robin", PolicyRun.Spread.ALL_REPLICAS));

        assertThat(outcome.load().good()).isPositive();
        assertThat(outcome.load().bad()).isZero();
        assertThat(outcome.engines().promptTokens())
                .isEqualTo((long) outcome.load().good() * setup.shape().promptTokens())
                .isEqualTo(outcome.load().tokens().prompt());
        assertThat(outcome.engines().cachedTokens())
                .isEqualTo(outcome.load().tokens().cached());
        assertThat(outcome.load().perWorker()).hasSize(2);
        assertThat(outcome.busiestShare()).isBetween(.5, .6);
    }

    @Test
    void run_flagThatTheGatewayRefuses_saysWhich() {
        PolicyExperiment experiment = new PolicyExperiment(setup, Ticker.system());
        PolicyRun wrong = PolicyRun.of("round_robin", PolicyRun.Spread.ALL_REPLICAS, "--retry-max-retries", "many");

        assertThatThrownBy(() -> experiment.run(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--retry-max-retries");
    }
}
