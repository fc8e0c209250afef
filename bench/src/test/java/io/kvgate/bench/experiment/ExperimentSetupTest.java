package io.kvgate.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ExperimentSetupTest {
    @Test
    void defaults_cantHoldAllPrefixesInOneReplicaButCanInAll() {
        ExperimentSetup setup = ExperimentSetup.of(Map.of());

        assertThat(setup.shape().tenants()).isEqualTo(40);
        assertThat(setup.shape().prefixTokens()).isEqualTo(2_000);
        assertThat(setup.prefixBlocks()).isEqualTo(125);
        assertThat(setup.otherBlocks()).isEqualTo(19);
        assertThat(setup.poolBlocks()).isLessThan(40 * 125).isGreaterThan(40 * 125 / setup.workers());
    }

    @Test
    void expectedHit_isTheClosedFormsShareOfThePrompt() {
        ExperimentSetup setup = ExperimentSetup.of(Map.of());
        double shared = 2_000.0 / setup.shape().promptTokens();

        assertThat(setup.expectedHit(PolicyRun.Spread.ALL_REPLICAS))
                .isCloseTo(ClosedForm.hit(40, 125, 19, 2_559) * shared, within(1e-9));
        assertThat(setup.expectedHit(PolicyRun.Spread.ONE_REPLICA))
                .isCloseTo(ClosedForm.hit(10, 125, 19, 2_559) * shared, within(1e-9));
        assertThat(setup.expectedHit(PolicyRun.Spread.UNKNOWN)).isNaN();
    }

    @ParameterizedTest
    @CsvSource({
        "--workers, 0",
        "--workers, 2.5",
        "--blocks, 10",
        "--rate, 0",
        "--rate, NaN",
        "--speedup, -1",
        "--secs, 1000",
        "--warm-up-secs, none"
    })
    void of_wrongValue_isRefusedByItsFlag(String flag, String value) {
        assertThatThrownBy(() -> ExperimentSetup.of(Map.of(flag, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(flag);
    }
}
