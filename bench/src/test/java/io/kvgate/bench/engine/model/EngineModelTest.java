package io.kvgate.bench.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class EngineModelTest {
    private static final EngineProfile SMALL = EngineProfile.llama8b().withPool(11, 4);

    private long nowNanos;

    @Test
    void prompt_longerThanTheBudgetIsComputedInChunks() {
        EngineModel model = model(EngineProfile.llama8b().withLimits(512, 256));
        model.submit("long", prompt(1, 1_200), 1, 0);

        List<Integer> chunks = new ArrayList<>();
        while (model.hasWork()) {
            chunks.add(step(model).prefillTokens());
        }

        assertThat(chunks).containsExactly(512, 512, 176);
    }

    @Test
    void decodes_comeBeforeChunksInTheBudget() {
        EngineModel model = model(EngineProfile.llama8b().withLimits(512, 256));
        model.submit("decoder", prompt(1, 16), 50, 0);
        step(model);
        model.submit("long", prompt(2, 1_000), 1, 0);

        StepResult step = step(model);

        assertThat(step.decodeTokens()).isEqualTo(1);
        assertThat(step.prefillTokens()).isEqualTo(511);
    }

    @Test
    void samePrefixInOneStep_hitsBlocksNotYetComputed() {
        EngineModel model = model(EngineProfile.llama8b());
        SimulatedRequest first = model.submit("a", prompt(1, 64), 1, 0);
        SimulatedRequest second = model.submit("b", prompt(1, 64), 1, 0);

        StepResult step = step(model);

        assertThat(step.finished()).containsExactly(first, second);
        assertThat(first.cachedTokens()).isZero();
        assertThat(second.cachedTokens()).isEqualTo(48);
        assertThat(step.prefillTokens()).isEqualTo(64 + 16);
    }

    @Test
    void decodedBlocks_areFoundByTheNextTurn() {
        EngineModel model = model(EngineProfile.llama8b());
        SimulatedRequest first = model.submit("a", prompt(1, 32), 33, 0);
        runAll(model);
        int[] turn = new int[80];
        for (int i = 0; i < turn.length; i++) {
            turn[i] = i < first.sequence.size() ? first.sequence.token(i) : -i;
        }

        SimulatedRequest second = model.submit("b", turn, 1, nowNanos);
        runAll(model);

        // 32 + 33 tokens, of which the last was never computed: four full blocks.
        assertThat(second.cachedTokens()).isEqualTo(64);
    }

    @Test
    void poolTooSmallForAll_preemptsTheLastAdmittedAndFinishesAll() {
        EngineModel model = model(SMALL);
        SimulatedRequest first = model.submit("a", prompt(1, 16), 20, 0);
        SimulatedRequest second = model.submit("b", prompt(2, 16), 20, 0);

        runAll(model);

        assertThat(first.preemptions()).isZero();
        assertThat(second.preemptions()).isPositive();
        assertThat(List.of(first.emittedTokens(), second.emittedTokens())).containsExactly(20, 20);
        assertThat(second.firstTokenNanos()).isEqualTo(first.firstTokenNanos());
        assertThat(second.finishedNanos()).isGreaterThan(first.finishedNanos());
        assertThat(model.stats().preemptionsTotal()).isEqualTo(second.preemptions());
        assertThat(model.stats().usedBlocks()).isZero();
    }

    @Test
    void preemption_doesNotChangeCachedTokensOrOutput() {
        EngineModel crowded = model(SMALL);
        crowded.submit("a", prompt(1, 16), 20, 0);
        SimulatedRequest preempted = crowded.submit("b", prompt(2, 16), 20, 0);
        runAll(crowded);
        EngineModel roomy = model(EngineProfile.llama8b());
        SimulatedRequest alone = roomy.submit("b", prompt(2, 16), 20, 0);
        runAll(roomy);

        assertThat(preempted.preemptions()).isPositive();
        assertThat(preempted.cachedTokens()).isZero();
        for (int i = 0; i < 36; i++) {
            assertThat(preempted.sequence.token(i)).isEqualTo(alone.sequence.token(i));
        }
    }

    @Test
    void maxSequences_limitsTheBatch() {
        EngineModel model = model(EngineProfile.llama8b().withLimits(8_192, 2));
        for (int i = 0; i < 3; i++) {
            model.submit("r" + i, prompt(i, 16), 4, 0);
        }
        step(model);

        assertThat(model.stats().running()).isEqualTo(2);
        assertThat(model.stats().waiting()).isEqualTo(1);
        assertThat(model.stats().waitingTokens()).isEqualTo(16);
    }

    @Test
    void abort_inEveryStateGivesTheBlocksBack() {
        EngineModel model = model(EngineProfile.llama8b().withLimits(8_192, 1));
        SimulatedRequest running = model.submit("running", prompt(1, 64), 10, 0);
        SimulatedRequest waiting = model.submit("waiting", prompt(2, 64), 10, 0);
        step(model);
        model.begin(nowNanos);

        assertThat(model.abort(waiting)).isTrue();
        assertThat(model.abort(running)).isTrue();
        assertThat(model.abort(running)).isFalse();
        assertThat(model.stats().usedBlocks()).isPositive();
        assertThat(model.complete().emissions()).isEmpty();

        assertThat(model.stats().usedBlocks()).isZero();
        assertThat(model.hasWork()).isFalse();
        assertThat(model.stats().abortedTotal()).isEqualTo(2);
    }

    @Test
    void abort_betweenStepsGivesTheBlocksBackAtOnce() {
        EngineModel model = model(EngineProfile.llama8b());
        SimulatedRequest request = model.submit("r", prompt(1, 64), 10, 0);
        step(model);

        model.abort(request);

        assertThat(model.stats().usedBlocks()).isZero();
        assertThat(model.begin(nowNanos)).isEqualTo(EngineModel.NO_WORK);
    }

    @Test
    void resetPrefixCache_isRefusedWhileBlocksAreHeld() {
        EngineModel model = model(EngineProfile.llama8b());
        model.submit("r", prompt(1, 64), 2, 0);
        step(model);
        assertThat(model.resetPrefixCache()).isFalse();
        runAll(model);

        assertThat(model.resetPrefixCache()).isTrue();

        SimulatedRequest again = model.submit("r", prompt(1, 64), 1, nowNanos);
        runAll(model);
        assertThat(again.cachedTokens()).isZero();
    }

    @Test
    void submit_refusesWhatCanNeverFit() {
        EngineModel model = model(SMALL);

        assertThatThrownBy(() -> model.submit("r", prompt(1, 40), 1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxOutputTokens: 1 after 40")
                .hasMessageContaining("at most 40");
        assertThatThrownBy(() -> model.submit("r", new int[0], 1, 0)).hasMessageContaining("prompt: empty");
        assertThat(model.hasWork()).isFalse();
    }

    @Test
    void step_withoutWorkOrTwiceBegunIsRefused() {
        EngineModel model = model(SMALL);
        assertThatThrownBy(() -> model.step(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(model::complete).isInstanceOf(IllegalStateException.class);
        model.submit("r", prompt(1, 4), 1, 0);
        model.begin(0);
        assertThatThrownBy(() -> model.begin(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void seed_decidesTheOutput() {
        assertThat(output(1)).isEqualTo(output(1)).isNotEqualTo(output(2));
    }

    @Test
    void randomLoad_finishesEveryRequestAndLeavesNothing() {
        long seed = 20_260_101;
        SplittableRandom random = new SplittableRandom(seed);
        EngineModel model = model(EngineProfile.llama8b().withPool(60, 4).withLimits(64, 8));
        List<SimulatedRequest> requests = new ArrayList<>();
        int aborted = 0;
        for (int i = 0; i < 3_000; i++) {
            if (i < 2_000 && random.nextInt(3) == 0) {
                requests.add(model.submit(
                        "r" + i, prompt(random.nextInt(5), 1 + random.nextInt(100)), 1 + random.nextInt(60), nowNanos));
            }
            boolean inStep = model.begin(nowNanos) != EngineModel.NO_WORK;
            if (!requests.isEmpty() && random.nextInt(20) == 0) {
                aborted += model.abort(requests.get(random.nextInt(requests.size()))) ? 1 : 0;
            }
            if (inStep) {
                nowNanos = model.complete().endNanos();
            }
            BlockPoolTest.assertConsistent(model.pool(), "seed " + seed + " step " + i);
        }
        runAll(model);

        ModelStats stats = model.stats();
        assertThat(stats.usedBlocks()).as("seed %d", seed).isZero();
        assertThat(stats.abortedTotal()).isEqualTo(aborted).isPositive();
        assertThat(stats.finishedTotal() + stats.abortedTotal()).isEqualTo(requests.size());
        assertThat(stats.preemptionsTotal()).isPositive();
        for (SimulatedRequest request : requests) {
            if (request.state() == SimulatedRequest.State.FINISHED) {
                assertThat(request.emittedTokens()).isEqualTo(request.maxOutputTokens());
            }
        }
    }

    private String output(long seed) {
        EngineModel model = new EngineModel(EngineProfile.llama8b(), BlockPoolListener.none(), seed);
        model.submit("r", prompt(1, 16), 8, 0);
        StringBuilder text = new StringBuilder();
        while (model.hasWork()) {
            for (StepResult.Emission emission : step(model).emissions()) {
                text.append(emission.token()).append(' ');
            }
        }
        return text.toString();
    }

    private void runAll(EngineModel model) {
        while (model.hasWork()) {
            step(model);
        }
    }

    private StepResult step(EngineModel model) {
        StepResult result = model.step(nowNanos);
        nowNanos = result.endNanos();
        return result;
    }

    private static EngineModel model(EngineProfile profile) {
        return new EngineModel(profile, BlockPoolListener.none(), 7);
    }

    private static int[] prompt(int tenant, int tokens) {
        int[] prompt = new int[tokens];
        for (int i = 0; i < tokens; i++) {
            prompt[i] = tenant * 1_000_003 + i;
        }
        return prompt;
    }
}
