package io.kvgate.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.bench.engine.api.EngineFlavour;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SimulatedEngineConfigTest {

    @Test
    void defaults_areAVllmInRealTime() {
        SimulatedEngineConfig config = SimulatedEngineConfig.defaults();

        assertThat(config.flavour()).isEqualTo(EngineFlavour.VLLM);
        assertThat(config.speedup()).isEqualTo(1);
        assertThat(config.port()).isZero();
        assertThat(config.apiKey()).isNull();
        assertThat(config.keepAlive()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.profile().totalBlocks()).isEqualTo(26_785);
    }

    @Test
    void values_areCheckedAtTheDoor() {
        SimulatedEngineConfig config = SimulatedEngineConfig.defaults();

        assertThatThrownBy(() -> config.withSpeedup(0)).hasMessage("speedup: 0.0 (expected: > 0)");
        assertThatThrownBy(() -> config.withPort(70_000)).hasMessage("port: 70000 (expected: 0 to 65535)");
        assertThatThrownBy(config::withModels).hasMessageStartingWith("models: []");
        assertThatThrownBy(() -> config.withPool(1, 16)).hasMessageContaining("blocks: 1");
    }

    @Test
    void commandLine_setsEachValue() {
        SimulatedEngineConfig config = SimulatedEngineMain.config(
                "--port",
                "9000",
                "--model",
                "m",
                "--flavour",
                "sglang",
                "--speedup",
                "10",
                "--dp-size",
                "2",
                "--blocks",
                "101");

        assertThat(config.port()).isEqualTo(9_000);
        assertThat(config.models()).containsExactly("m");
        assertThat(config.flavour()).isEqualTo(EngineFlavour.SGLANG);
        assertThat(config.speedup()).isEqualTo(10);
        assertThat(config.dpSize()).isEqualTo(2);
        assertThat(config.profile().totalBlocks()).isEqualTo(101);
        assertThat(config.profile().maxModelTokens()).isEqualTo(1_600);
        assertThatThrownBy(() -> SimulatedEngineMain.config("--prot", "1")).hasMessageContaining("argument: --prot");
        assertThatThrownBy(() -> SimulatedEngineMain.config("--port")).hasMessageContaining("argument: --port");
    }
}
