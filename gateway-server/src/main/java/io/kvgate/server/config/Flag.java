package io.kvgate.server.config;

import java.util.List;
import java.util.function.Function;

/**
 * One flag of the command line. Parsing, help, the documentation page and the line of effective values all derive from it.
 *
 * @param group the heading it stands under
 * @param arity how many values it takes
 * @param type what a value (of a list: one element) must be
 * @param effective the flag's value in a configuration, as text; never a secret
 * @param help one or two sentences
 * @param names all spellings; the first is the one shown in messages
 * @param <T> type of a value or an element
 */
record Flag<T>(
        FlagGroup group,
        Arity arity,
        ValueType<T> type,
        Function<GatewayConfig, String> effective,
        String help,
        List<String> names) {
    /** How many values a flag takes. */
    enum Arity {
        /** None: it is there or not. */
        SWITCH,
        /** Exactly one; giving the flag twice is an error. */
        ONE,
        /** Any number, separated by spaces; repeating the flag adds to the list. */
        MANY
    }

    Flag {
        names = List.copyOf(names);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("names: [] (expected: at least one)");
        }
    }

    static <T> Flag<T> one(
            FlagGroup group,
            ValueType<T> type,
            Function<GatewayConfig, String> effective,
            String help,
            String... names) {
        return new Flag<>(group, Arity.ONE, type, effective, help, List.of(names));
    }

    static <T> Flag<T> many(
            FlagGroup group,
            ValueType<T> type,
            Function<GatewayConfig, String> effective,
            String help,
            String... names) {
        return new Flag<>(group, Arity.MANY, type, effective, help, List.of(names));
    }

    static Flag<Boolean> on(FlagGroup group, Function<GatewayConfig, Boolean> effective, String help, String... names) {
        return new Flag<>(
                group,
                Arity.SWITCH,
                ValueType.SWITCH,
                config -> effective.apply(config) ? "on" : "off",
                help,
                List.of(names));
    }

    /** The spelling used in messages. */
    String name() {
        return names.get(0);
    }

    /** The value that holds if the flag is not given; empty text if that is an empty list. */
    String defaultText() {
        return effective.apply(GatewayConfig.DEFAULT);
    }

    /** The form in help: {@code --port PORT}, {@code --worker-urls URL...}, {@code --json-log}. */
    String usage() {
        return switch (arity) {
            case SWITCH -> String.join(", ", names);
            case ONE -> String.join(", ", names) + " " + type.placeholder();
            case MANY -> String.join(", ", names) + " " + type.placeholder() + "...";
        };
    }
}
