package io.kvgate.bench.sim;

import io.kvgate.policies.PolicyConfig;
import io.kvgate.policies.PolicySettings;
import io.kvgate.server.config.CommandLineOutcome;
import io.kvgate.server.config.ConfigLoader;
import io.kvgate.server.config.RoutingConfig;
import java.util.List;

/**
 * One line of the table: a workload at a rate, and the gateway's flags as a user gives them.
 *
 * @param perSecond requests from outside
 * @param flags {@code --policy} and what tunes it; empty: the gateway's defaults
 */
record SimulationRun(Scenario scenario, double perSecond, List<String> flags) {
    SimulationRun {
        flags = List.copyOf(flags);
    }

    /** The lines that the documentation shows. */
    static List<SimulationRun> documented() {
        return List.of(
                of(Scenario.EVEN, "--policy", "cache_aware"),
                of(Scenario.EVEN, "--policy", "cache_aware", "--cache-threshold", "0.3"),
                of(Scenario.EVEN, "--policy", "least_load"),
                of(Scenario.HOT, "--policy", "cache_aware"),
                of(Scenario.HOT, "--policy", "cache_aware", "--cache-threshold", "0.3"),
                of(Scenario.HOT, "--policy", "least_load"),
                of(Scenario.DOCUMENTS, "--policy", "cache_aware"),
                of(Scenario.DOCUMENTS, "--policy", "cache_aware", "--cache-threshold", "0.3"),
                of(Scenario.DOCUMENTS, "--policy", "least_load"),
                of(Scenario.SESSIONS, "--policy", "cache_aware"),
                of(Scenario.SESSIONS, "--policy", "cache_aware", "--cache-threshold", "0.3"),
                of(Scenario.SESSIONS, "--policy", "least_load"));
    }

    /** At the rate the documentation has. */
    static SimulationRun of(Scenario scenario, String... flags) {
        return new SimulationRun(scenario, scenario.perSecond(), List.of(flags));
    }

    String label() {
        return flags.isEmpty() ? "the gateway's defaults" : String.join(" ", flags);
    }

    /** @throws IllegalArgumentException the gateway refuses the flags */
    PolicyConfig policy() {
        CommandLineOutcome outcome = new ConfigLoader(PolicySettings.names(), "kvgate bench").load(flags);
        if (outcome instanceof CommandLineOutcome.Start start) {
            RoutingConfig routing = start.config().routing();
            return routing.policies().named(routing.policy());
        }
        throw new IllegalArgumentException(
                outcome instanceof CommandLineOutcome.Refuse refuse
                        ? String.join("; ", refuse.problems())
                        : label() + " (expected: flags of a policy)");
    }

    SimulationResult result(int seconds, long seed) {
        return new FleetSimulation(SimulationSetup.llamas(scenario.workload(), perSecond, seconds, seed), policy())
                .run();
    }
}
