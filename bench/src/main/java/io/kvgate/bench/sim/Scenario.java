package io.kvgate.bench.sim;

import io.kvgate.bench.sim.traffic.Conversations;
import io.kvgate.bench.sim.traffic.SharedPrompts;
import io.kvgate.bench.sim.traffic.Workload;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The workloads that the command knows by name, each with the rate at which it is told of in the documentation. */
enum Scenario {
    /** A thousand tenants with a system prompt each. */
    EVEN(new SharedPrompts(1_000, 2_048, 0, new SharedPrompts.End(128, false), 128), 250),
    /** The same, but two requests of five have one and the same system prompt. */
    HOT(new SharedPrompts(1_000, 2_048, 0.4, new SharedPrompts.End(128, false), 128), 250),
    /** A long document of its own behind one of a few system prompts. */
    DOCUMENTS(new SharedPrompts(40, 2_048, 0, new SharedPrompts.End(8_000, true), 128), 12),
    /** Conversations that come back with all that was said. */
    SESSIONS(new Conversations(1_000, 2_900, 50, 300, 4, 45), 6);

    private final Workload workload;
    private final double perSecond;

    Scenario(Workload workload, double perSecond) {
        this.workload = workload;
        this.perSecond = perSecond;
    }

    Workload workload() {
        return workload;
    }

    /** Mean rate of requests from outside. */
    double perSecond() {
        return perSecond;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static List<String> labels() {
        return Arrays.stream(values()).map(Scenario::label).toList();
    }

    /** @throws IllegalArgumentException there is none of that name */
    static Scenario of(String label) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "--workload: " + label + " (expected: " + String.join(", ", labels()) + ")"));
    }
}
