package io.kvgate.server.config;

import java.time.Duration;

/** The checks of the records' constructors, all with one form of message: {@code name: value (expected: …)}. */
final class Check {
    private Check() {}

    static void within(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min
                    + (max == Long.MAX_VALUE ? " or more" : " to " + max) + ")");
        }
    }

    static void atLeast(String name, long value, long min) {
        within(name, value, min, Long.MAX_VALUE);
    }

    static void positive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: above 0)");
        }
    }

    static void notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 or more)");
        }
    }

    static void notBlank(String name, String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(name + ": \"" + value + "\" (expected: not blank)");
        }
    }
}
