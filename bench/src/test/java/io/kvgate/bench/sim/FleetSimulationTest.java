package io.kvgate.bench.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.bench.engine.model.EngineProfile;
import io.kvgate.bench.sim.traffic.Conversations;
import io.kvgate.bench.sim.traffic.SharedPrompts;
import io.kvgate.policies.PolicyConfig;
import io.kvgate.policies.PolicySettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FleetSimulationTest {
    private static final int BLOCK_TOKENS = 16;
    private static final int PROMPTS = 40;
    private static final int PROMPT_BLOCKS = 160;
    private static final int WORKERS = 4;

    /** Prompts that are a system prompt and one token, answered with few tokens: next to nothing but system prompts takes room. */
    private static final SharedPrompts UNITS =
            new SharedPrompts(PROMPTS, PROMPT_BLOCKS * BLOCK_TOKENS, 0, new SharedPrompts.End(1, true), 1);

    private static PolicyConfig policy(String name) {
        return PolicySettings.DEFAULT.named(name);
    }

    /** Engines that can hold that many of the system prompts. */
    private static SimulationResult units(String policy, int held, int seconds, long seed) {
        EngineProfile engine = EngineProfile.llama8b().withPool(held * PROMPT_BLOCKS + 1, BLOCK_TOKENS);
        return new FleetSimulation(new SimulationSetup(WORKERS, engine, UNITS, 25, seconds, seed), policy(policy))
                .run();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 20, 30})
    void run_roundRobin_findsAsManyPromptsAsAnEngineHolds(int held) {
        SimulationResult result = units("round_robin", held, 200, 1);

        double share = (double) held / PROMPTS * PROMPT_BLOCKS * BLOCK_TOKENS / (PROMPT_BLOCKS * BLOCK_TOKENS + 1);
        assertThat(result.chosen()).isGreaterThan(3_000);
        assertThat(result.hit()).isBetween(share - .02, share + .02);
        assertThat(result.largestShare()).isBetween(.2499, .2505);
        assertThat(result.inFlight()).isLessThan(10);
    }

    @Test
    void run_cacheAwareAndRoomForAllPromptsTogether_findsNearlyAll() {
        SimulationResult result = units("cache_aware", 20, 30, 1);

        assertThat(result.hit()).isGreaterThan(.9);
        assertThat(result.reasons().get("cache_hit")).isGreaterThan(result.chosen() * 9 / 10);
        assertThat(result.reasons().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(result.chosen());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cache_aware", "least_load", "random", "prefix_hash"})
    void run_sameSeed_givesTheSame(String policy) {
        SimulationResult first = units(policy, 5, 20, 7);

        assertThat(units(policy, 5, 20, 7)).isEqualTo(first);
        assertThat(units(policy, 5, 20, 8)).isNotEqualTo(first);
    }

    @Test
    void run_oneEngineOneTokenAnswers_firstTokenTakesOneStep() {
        SharedPrompts single = new SharedPrompts(1, 0, 0, new SharedPrompts.End(10, true), 1);
        EngineProfile engine = EngineProfile.llama8b();

        SimulationResult result =
                new FleetSimulation(new SimulationSetup(1, engine, single, .05, 600, 3), policy("round_robin")).run();

        long step = engine.costs().stepNanos(engine.costs().prefillNanos(10, 0), 0, 0);
        assertThat(result.firstToken().count()).isPositive();
        assertThat(result.firstToken().p50Nanos()).isEqualTo(step);
        assertThat(result.cachedTokens()).isZero();
    }

    @Test
    void run_hotPrompt_isSpreadOverWorkers() {
        SharedPrompts hot = new SharedPrompts(100, 2_048, 0.9, new SharedPrompts.End(128, false), 64);

        SimulationResult result = new FleetSimulation(
                        new SimulationSetup(WORKERS, EngineProfile.llama8b(), hot, 100, 9, 1), policy("cache_aware"))
                .run();

        assertThat(result.largestShare()).isLessThan(.5);
        assertThat(result.hit()).isGreaterThan(.85);
    }

    @Test
    void run_moreThanEnginesCanServe_leavesRequestsInFlight() {
        SharedPrompts cold = new SharedPrompts(1, 0, 0, new SharedPrompts.End(8_000, true), 8);

        // A prompt takes a third of a second at least.
        SimulationResult result = new FleetSimulation(
                        new SimulationSetup(1, EngineProfile.llama8b(), cold, 6, 30, 1), policy("least_load"))
                .run();

        assertThat(result.inFlight()).isGreaterThan(60);
        assertThat(result.firstToken().p99Nanos()).isGreaterThan(5_000_000_000L);
    }

    @Test
    void run_conversationsAtOneEngine_findAllThatWasSaidBefore() {
        Conversations talks = new Conversations(512, 1_000, 50, 100, 6, 2);

        SimulationResult result = new FleetSimulation(
                        new SimulationSetup(1, EngineProfile.llama8b(), talks, 1, 60, 1), policy("round_robin"))
                .run();

        // At most the user's turn, a block that isn't full and the last answer's last token are new, but for first
        // turns.
        assertThat(result.hit()).isGreaterThan(.8);
        assertThat(result.chosen()).isGreaterThan(120);
    }

    @Test
    void run_conversationsSpreadByTurns_findLessThanThoseThatStay() {
        SimulationSetup setup = new SimulationSetup(
                WORKERS, EngineProfile.llama8b(), new Conversations(512, 2_000, 50, 100, 6, 2), 2, 45, 1);

        double staying = new FleetSimulation(setup, policy("cache_aware")).run().hit();
        double spread = new FleetSimulation(setup, policy("round_robin")).run().hit();

        assertThat(staying).isGreaterThan(spread + .1);
    }
}
