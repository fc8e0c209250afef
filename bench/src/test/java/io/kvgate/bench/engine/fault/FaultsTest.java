package io.kvgate.bench.engine.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class FaultsTest {
    private final Faults faults = new Faults();

    @Test
    void next_isUsedUpByThatManyRequests() {
        faults.next(2, new Fault.Hang());

        assertThat(faults.take().has(Fault.Hang.class)).isTrue();
        assertThat(faults.take().has(Fault.Hang.class)).isTrue();
        assertThat(faults.take().has(Fault.Hang.class)).isFalse();
    }

    @Test
    void several_areMetTogether() {
        faults.always(new Fault.SlowChunks(Duration.ofMillis(1)));
        faults.next(1, new Fault.ResetMidStream(4));

        FaultPlan plan = faults.take();

        assertThat(plan.find(Fault.ResetMidStream.class)).isEqualTo(new Fault.ResetMidStream(4));
        assertThat(plan.has(Fault.SlowChunks.class)).isTrue();
        assertThat(faults.take().has(Fault.SlowChunks.class)).isTrue();
    }

    @Test
    void clear_turnsEverythingOff() {
        faults.always(new Fault.Hang());
        faults.health(HealthFault.ofStatus(500));

        faults.clear();

        assertThat(faults.take().has(Fault.Hang.class)).isFalse();
        assertThat(faults.takeHealth()).isEqualTo(HealthFault.none());
    }

    @Test
    void values_areCheckedAtTheDoor() {
        assertThatThrownBy(() -> faults.next(0, new Fault.Hang())).hasMessage("count: 0 (expected: >= 1)");
        assertThatThrownBy(() -> new Fault.ErrorStatus(200)).hasMessage("status: 200 (expected: 300 to 599)");
        assertThatThrownBy(() -> new Fault.ResetMidStream(-1)).hasMessage("afterChunks: -1 (expected: >= 0)");
        assertThatThrownBy(() -> faults.flapHealth(0, 0, HealthFault.none())).hasMessageContaining("good, bad: 0, 0");
    }
}
