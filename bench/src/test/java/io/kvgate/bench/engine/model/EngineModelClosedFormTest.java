package io.kvgate.bench.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The model against figures that follow from its formulas by hand. */
final class EngineModelClosedFormTest {
    private static final double MILLIS = 1e6;
    private static final int PREFIX = 2_048;

    private final EngineModel model = new EngineModel(EngineProfile.llama8b(), BlockPoolListener.none(), 1);
    private long nowNanos;

    @Test
    void llama8b_constantsOfTheTable() {
        StepCosts costs = EngineProfile.llama8b().costs();

        assertThat(costs.linearNanosPerToken()).isCloseTo(40_600, within(20.0));
        assertThat(costs.attentionNanosPerTokenContext()).isCloseTo(1.325, within(0.001));
        assertThat(costs.weightReadNanos() / MILLIS).isCloseTo(5.99, within(0.005));
        assertThat(costs.kvReadNanosPerContextToken()).isCloseTo(48.9, within(0.05));
        assertThat(model.stats().usableBlocks()).isEqualTo(26_784);
    }

    @Test
    void llama70b_constantsOfTheTable() {
        StepCosts costs = EngineProfile.llama70b().costs();

        assertThat(costs.linearNanosPerToken()).isCloseTo(44_580, within(10.0));
        assertThat(costs.attentionNanosPerTokenContext()).isCloseTo(0.8283, within(0.0005));
        assertThat(costs.weightReadNanos() / MILLIS).isCloseTo(6.58, within(0.005));
        assertThat(costs.kvReadNanosPerContextToken()).isCloseTo(15.3, within(0.05));
        assertThat(EngineProfile.llama70b().totalBlocks()).isEqualTo(83_309);
        assertThat(costs.prefillNanos(PREFIX, 0) / MILLIS).isCloseTo(93.05, within(0.05));
    }

    @Test
    void coldPrompt_takesItsPrefillTime() {
        SimulatedRequest cold = run(tenant(1, PREFIX), 1);

        assertThat(cold.cachedTokens()).isZero();
        assertThat(ttftMillis(cold)).isCloseTo(85.92, within(0.02));
    }

    @Test
    void samePromptAgain_recomputesOneBlockInTheShortestStep() {
        run(tenant(1, PREFIX), 1);

        SimulatedRequest warm = run(tenant(1, PREFIX), 1);

        assertThat(warm.cachedTokens()).isEqualTo(127 * 16).isEqualTo(2_032);
        assertThat(ttftMillis(warm)).isCloseTo(5.99, within(0.005));
    }

    @Test
    void suffixAfterAHit_isBoundByTheWeightRead() {
        run(tenant(1, PREFIX), 1);

        SimulatedRequest warm = run(tenant(1, PREFIX + 128), 1);

        assertThat(warm.cachedTokens()).isEqualTo(PREFIX);
        assertThat(EngineProfile.llama8b().costs().prefillNanos(128, PREFIX) / MILLIS)
                .isCloseTo(5.56, within(0.01));
        assertThat(ttftMillis(warm)).isCloseTo(5.99, within(0.005));
    }

    @Test
    void prefixTooMany_evictsTheTailOfTheOldest() {
        for (int tenant = 1; tenant <= 209; tenant++) {
            run(tenant(tenant, PREFIX), 1);
        }
        assertThat(model.pool().cachedHashes()).isEqualTo(209 * 128).isEqualTo(26_752);

        run(tenant(210, PREFIX), 1);

        // 32 blocks were still unused; the other 96 were the last ones of the first prompt.
        SimulatedRequest first = run(tenant(1, PREFIX), 1);
        assertThat(first.cachedTokens()).isEqualTo(32 * 16).isEqualTo(512);
    }

    @Test
    void thirtyTwoDecoders_haveTheInterTokenTimeOfTheTable() {
        for (int i = 0; i < 32; i++) {
            model.submit("r" + i, tenant(i, 2_300), 64, nowNanos);
        }
        List<StepResult> together = new ArrayList<>();
        while (model.hasWork()) {
            StepResult step = step();
            if (step.decodeTokens() == 32 && step.prefillTokens() == 0) {
                together.add(step);
            }
        }

        assertThat(together).isNotEmpty();
        assertThat(together.get(0).durationNanos() / MILLIS).isCloseTo(9.6, within(0.05));
    }

    @Test
    void loneDecoder_isBoundByTheWeightRead() {
        model.submit("r", tenant(1, 2_300), 2, nowNanos);
        step();

        assertThat(step().durationNanos() / MILLIS).isCloseTo(6.10, within(0.01));
    }

    @Test
    void twoReplicasRoundRobin_missOncePerReplicaAndThenHit() {
        EngineModel other = new EngineModel(EngineProfile.llama8b(), BlockPoolListener.none(), 1);
        List<EngineModel> replicas = List.of(model, other);
        long[] hits = new long[3];
        int turn = 0;
        // Tenants A, A, B, B, A, A, B, B …: each replica gets both tenants alternately.
        for (int round = 0; round < 3; round++) {
            for (int tenant = 1; tenant <= 2; tenant++) {
                for (int repeat = 0; repeat < 2; repeat++) {
                    SimulatedRequest request = run(replicas.get(turn++ % 2), tenant(tenant, PREFIX), 1);
                    hits[round] += request.cachedTokens();
                }
            }
        }

        assertThat(hits).containsExactly(0, 4 * 2_032, 4 * 2_032);
        assertThat(model.stats().hitRatio()).isCloseTo(4 * 2_032 / (6.0 * PREFIX), within(1e-12));
    }

    private SimulatedRequest run(int[] prompt, int output) {
        return run(model, prompt, output);
    }

    private SimulatedRequest run(EngineModel engine, int[] prompt, int output) {
        SimulatedRequest request = engine.submit("r", prompt, output, nowNanos);
        while (engine.hasWork()) {
            nowNanos = engine.step(nowNanos).endNanos();
        }
        return request;
    }

    private StepResult step() {
        StepResult result = model.step(nowNanos);
        nowNanos = result.endNanos();
        return result;
    }

    private static double ttftMillis(SimulatedRequest request) {
        return (request.firstTokenNanos() - request.arrivalNanos()) / MILLIS;
    }

    /** A prompt that shares nothing with another tenant's, and all of its head with the same tenant's. */
    private static int[] tenant(int tenant, int tokens) {
        int[] prompt = new int[tokens];
        for (int i = 0; i < tokens; i++) {
            prompt[i] = tenant * 1_000_003 + i;
        }
        return prompt;
    }
}
