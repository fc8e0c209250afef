package io.kvgate.bench.engine.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.bench.engine.model.BlockPoolListener;
import io.kvgate.bench.engine.model.EngineProfile;
import io.kvgate.bench.engine.model.SimulatedRequest;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The drivers on a loop whose time the test moves. */
final class EngineRanksTest {
    private static final double SPEEDUP = 4;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<Long> tokenMicros = new ArrayList<>();
    private long nowNanos;

    EngineRanksTest() {
        channel.freezeTime();
    }

    @AfterEach
    void end() {
        channel.finishAndReleaseAll();
    }

    @Test
    void tokens_appearAtTheModelsTimeDividedByTheSpeedup() {
        EngineRanks ranks = ranks(1);
        ranks.submit(-1, "r", new int[2_048], 3, this::record);

        advance(60_000);

        // 85.92 ms of prefill, then two steps of 5.99 ms plus the reading of some 2,048 tokens of context.
        assertThat(tokenMicros).hasSize(3);
        assertThat(tokenMicros.get(0)).isBetween(21_450L, 21_520L);
        assertThat(tokenMicros.get(2) - tokenMicros.get(0)).isBetween(3_020L, 3_080L);
    }

    @Test
    void lateTimer_bunchesTokensButKeepsTheirTotalTime() {
        EngineRanks ranks = ranks(1);
        SimulatedRequest request =
                ranks.submit(-1, "r", new int[16], 100, this::record).request();
        nowNanos += TimeUnit.SECONDS.toNanos(10);
        channel.advanceTimeBy(10, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        channel.runScheduledPendingTasks();
        channel.runScheduledPendingTasks();

        assertThat(tokenMicros).hasSize(100);
        assertThat(request.finishedNanos()).isBetween(590_000_000L, 610_000_000L);
    }

    @Test
    void requests_goRoundTheRanks() {
        EngineRanks ranks = ranks(3);
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            places.add(ranks.submit(-1, "r", new int[16], 1, this::record).rank());
        }
        assertThat(places).containsExactly(0, 1, 2, 0);
        assertThat(ranks.submit(2, "r", new int[16], 1, this::record).rank()).isEqualTo(2);
    }

    @Test
    void restart_callsNoListenerAgain() {
        EngineRanks ranks = ranks(1);
        ranks.submit(-1, "r", new int[16], 10, this::record);

        ranks.restart();
        advance(10_000);

        assertThat(tokenMicros).isEmpty();
        assertThat(ranks.stats().get(0).running()).isZero();
    }

    private EngineRanks ranks(int count) {
        return new EngineRanks(
                new RankSettings(EngineProfile.llama8b(), count, 1, SPEEDUP),
                channel.eventLoop(),
                () -> nowNanos,
                rank -> BlockPoolListener.none());
    }

    private void record(SimulatedRequest request, int token, boolean last) {
        tokenMicros.add(nowNanos / 1_000);
    }

    /** Moves time on in steps of 10 microseconds. */
    private void advance(int micros) {
        for (int i = 0; i < micros; i += 10) {
            nowNanos += 10_000;
            channel.advanceTimeBy(10, TimeUnit.MICROSECONDS);
            channel.runScheduledPendingTasks();
        }
    }
}
