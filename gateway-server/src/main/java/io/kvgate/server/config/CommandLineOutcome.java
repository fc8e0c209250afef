package io.kvgate.server.config;

import java.util.List;

/** What a command line asks for. */
public sealed interface CommandLineOutcome {
    /**
     * To start.
     *
     * @param config the configuration
     * @param effective {@code flag=value} for every flag, without secrets
     * @param notes what the operator should know: doubled entries, flags without effect, missing keys
     */
    record Start(GatewayConfig config, List<String> effective, List<String> notes) implements CommandLineOutcome {
        public Start {
            effective = List.copyOf(effective);
            notes = List.copyOf(notes);
        }
    }

    /**
     * To print something and end well.
     *
     * @param text with its last line end
     */
    record Print(String text) implements CommandLineOutcome {}

    /**
     * Nothing that could be done.
     *
     * @param problems one line each, never empty
     */
    record Refuse(List<String> problems) implements CommandLineOutcome {
        public Refuse {
            problems = List.copyOf(problems);
        }
    }
}
