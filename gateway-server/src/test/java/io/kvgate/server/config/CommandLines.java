package io.kvgate.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.policies.PolicySettings;
import java.util.List;
import java.util.Set;

/** Loads command lines for the tests of this package. */
final class CommandLines {
    static final Set<String> POLICIES = PolicySettings.names();
    private static final ConfigLoader LOADER = new ConfigLoader(POLICIES, "kvgate 1.2.3 (Java 17, Linux amd64)");

    private CommandLines() {}

    static CommandLineOutcome load(String... arguments) {
        return LOADER.load(List.of(arguments));
    }

    static CommandLineOutcome.Start start(String... arguments) {
        CommandLineOutcome outcome = load(arguments);
        assertThat(outcome).isInstanceOf(CommandLineOutcome.Start.class);
        return (CommandLineOutcome.Start) outcome;
    }

    static GatewayConfig config(String... arguments) {
        return start(arguments).config();
    }

    static List<String> notes(String... arguments) {
        return start(arguments).notes();
    }

    static List<String> problems(String... arguments) {
        CommandLineOutcome outcome = load(arguments);
        assertThat(outcome).isInstanceOf(CommandLineOutcome.Refuse.class);
        return ((CommandLineOutcome.Refuse) outcome).problems();
    }
}
