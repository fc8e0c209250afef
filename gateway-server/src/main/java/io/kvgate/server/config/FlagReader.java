package io.kvgate.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns the texts given for flags into values, and collects everything that is wrong or worth a note.
 *
 * <p>Threading: confined to the thread that reads the command line.
 */
final class FlagReader {
    private final Map<Flag<?>, List<String>> given;
    private final List<String> problems;
    private final List<String> notes;

    /** Adds to the lists, which stay the caller's. */
    FlagReader(Map<Flag<?>, List<String>> given, List<String> problems, List<String> notes) {
        this.given = given;
        this.problems = problems;
        this.notes = notes;
    }

    /** Whether something was found wrong with what was given for the flag. */
    boolean isWrong(Flag<?> flag) {
        return problems.stream().anyMatch(problem -> problem.startsWith(flag.name() + ":"));
    }

    boolean given(Flag<?> flag) {
        return given.containsKey(flag);
    }

    /** The value, or the default if the flag is absent or wrong. */
    <T> T one(Flag<T> flag, T defaultValue) {
        List<String> texts = given.get(flag);
        if (texts == null || texts.isEmpty()) {
            return defaultValue;
        }
        T value = flag.type().parser().apply(texts.get(0));
        if (value == null) {
            wrong(flag, texts.get(0));
            return defaultValue;
        }
        return value;
    }

    /** The elements that could be read, or the default if the flag is absent. */
    <T> List<T> many(Flag<T> flag, List<T> defaultValue) {
        List<String> texts = given.get(flag);
        if (texts == null) {
            return defaultValue;
        }
        List<T> values = new ArrayList<>();
        for (String text : texts) {
            for (String element : flag.type().elements(text)) {
                T value = flag.type().parser().apply(element);
                if (value == null) {
                    wrong(flag, element);
                } else {
                    values.add(value);
                }
            }
        }
        return values;
    }

    /** Whether a switch is on. */
    boolean on(Flag<Boolean> flag) {
        return given.containsKey(flag);
    }

    void problem(String message) {
        problems.add(message);
    }

    void note(String message) {
        notes.add(message);
    }

    /** Notes each of the flags that was given although it has no effect. */
    void noEffect(Set<Flag<?>> flags, String why) {
        for (Flag<?> flag : CliOptions.ALL) {
            if (flags.contains(flag) && given(flag)) {
                note(flag.name() + ": no effect " + why);
            }
        }
    }

    private void wrong(Flag<?> flag, String text) {
        boolean secret = flag.type().equals(ValueType.SECRET);
        problem(flag.name() + ": " + (secret ? "not shown" : shown(text)) + " (expected: "
                + flag.type().expected() + ")");
    }

    /** One line, bounded, and visibly empty if empty. */
    static String shown(String text) {
        String clean = text.replaceAll("\\p{Cntrl}", "?");
        if (clean.isEmpty()) {
            return "\"\"";
        }
        return clean.length() > 200 ? clean.substring(0, 200) + "…" : clean;
    }
}
