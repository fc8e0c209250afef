package io.kvgate.server.config;

import io.kvgate.server.config.Flag.Arity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Parts the arguments into flags and their texts; what the texts mean is {@link ConfigLoader}'s part.
 *
 * <p>Threading: confined to the thread that reads the command line.
 */
final class CommandLineParser {
    static final List<String> HELP = List.of("--help", "-h");
    static final List<String> VERSION = List.of("--version", "-V", "--version-verbose");
    /** Names an engine; see {@link ConfigLoader}. */
    static final List<String> BACKEND = List.of("--backend", "--runtime");

    private static final Pattern NEGATIVE_NUMBER = Pattern.compile("-[0-9.]+");
    private static final Pattern ATTACHED = Pattern.compile("(--[^=]+)=(.*)", Pattern.DOTALL);
    /** Put before values that follow an equals sign, as the parser would lose those that look like a flag. */
    private static final String MARK = "\u0001";

    private final List<String> problems;
    private final List<String> notes;

    /**
     * What was given.
     *
     * @param flags flags that shape the configuration, with their texts
     * @param help whether help was asked for
     * @param version whether the version was asked for
     * @param backends values of {@code --backend}
     */
    record Given(Map<Flag<?>, List<String>> flags, boolean help, boolean version, List<String> backends) {}

    /** Adds to the lists, which stay the caller's. */
    CommandLineParser(List<String> problems, List<String> notes) {
        this.problems = problems;
        this.notes = notes;
    }

    Given parse(List<String> arguments) {
        List<String> words = withoutSubcommand(arguments);
        Map<Flag<?>, OptionSpec> options = new LinkedHashMap<>();
        CommandSpec spec = CommandSpec.create().name("kvgate");
        for (Flag<?> flag : CliOptions.ALL) {
            OptionSpec option = option(flag.names(), flag.arity());
            options.put(flag, option);
            spec.addOption(option);
        }
        for (ForeignFlag flag : ForeignFlag.ALL) {
            spec.addOption(option(List.of(flag.name()), Arity.MANY));
        }
        spec.addOption(option(HELP, Arity.SWITCH));
        spec.addOption(option(VERSION, Arity.SWITCH));
        spec.addOption(option(BACKEND, Arity.MANY));
        spec.parser()
                .collectErrors(true)
                .expandAtFiles(false)
                .posixClusteredShortOptionsAllowed(false)
                .unmatchedOptionsAllowedAsOptionParameters(false);
        CommandLine commandLine = new CommandLine(spec).setInterpolateVariables(false);
        ParseResult result = commandLine.parseArgs(attachValues(words).toArray(String[]::new));

        result.errors().forEach(this::report);
        for (ForeignFlag flag : ForeignFlag.ALL) {
            if (result.hasMatchedOption(flag.name())) {
                (flag.fate() == ForeignFlag.Fate.NO_EFFECT ? notes : problems).add(flag.message());
            }
        }
        Map<Flag<?>, List<String>> flags = new LinkedHashMap<>();
        options.forEach((flag, option) -> {
            if (result.hasMatchedOption(option)) {
                flags.put(flag, texts(option));
            }
        });
        return new Given(
                flags,
                result.hasMatchedOption(HELP.get(0)),
                result.hasMatchedOption(VERSION.get(0)),
                result.hasMatchedOption(BACKEND.get(0)) ? texts(result.matchedOption(BACKEND.get(0))) : List.of());
    }

    /** Every name that is understood. */
    static List<String> knownNames() {
        return Stream.of(
                        CliOptions.ALL.stream().flatMap(flag -> flag.names().stream()),
                        ForeignFlag.ALL.stream().map(ForeignFlag::name),
                        HELP.stream(),
                        VERSION.stream(),
                        BACKEND.stream())
                .flatMap(names -> names)
                .filter(name -> name.startsWith("--"))
                .toList();
    }

    private List<String> withoutSubcommand(List<String> arguments) {
        String first = arguments.isEmpty() ? "" : arguments.get(0);
        if (first.equals("launch") || first.equals("start")) {
            return arguments.subList(1, arguments.size());
        }
        if (first.equals("server")) {
            problems.add("server: not offered: the gateway starts no engines; start them and give --worker-urls");
            return arguments.subList(1, arguments.size());
        }
        return arguments;
    }

    /** Marks values after an equals sign, and makes {@code --flag -1} a {@code --flag=-1}. */
    private List<String> attachValues(List<String> words) {
        List<String> attached = new ArrayList<>();
        for (String word : words) {
            int last = attached.size() - 1;
            Matcher withValue = ATTACHED.matcher(word);
            if (withValue.matches() && isSwitch(withValue.group(1))) {
                problems.add(
                        withValue.group(1) + ": " + FlagReader.shown(withValue.group(2)) + " (expected: no value)");
            } else if (withValue.matches()) {
                attached.add(withValue.group(1) + "=" + MARK + withValue.group(2));
            } else if (NEGATIVE_NUMBER.matcher(word).matches()
                    && last >= 0
                    && attached.get(last).startsWith("--")
                    && attached.get(last).indexOf('=') < 0) {
                attached.set(last, attached.get(last) + "=" + MARK + word);
            } else {
                attached.add(word);
            }
        }
        return attached;
    }

    private static boolean isSwitch(String name) {
        return HELP.contains(name)
                || VERSION.contains(name)
                || CliOptions.ALL.stream()
                        .anyMatch(flag ->
                                flag.arity() == Arity.SWITCH && flag.names().contains(name));
    }

    private static String unmarked(String value) {
        return value.startsWith(MARK) ? value.substring(MARK.length()) : value;
    }

    private static OptionSpec option(List<String> names, Arity arity) {
        OptionSpec.Builder builder = OptionSpec.builder(names.toArray(String[]::new));
        return switch (arity) {
            case SWITCH -> builder.type(boolean.class).arity("0").build();
            case ONE -> builder.type(String.class).arity("1").build();
            case MANY ->
                builder.type(List.class)
                        .auxiliaryTypes(String.class)
                        .arity("0..*")
                        .build();
        };
    }

    private static List<String> texts(OptionSpec option) {
        return option.stringValues().stream().map(CommandLineParser::unmarked).toList();
    }

    private void report(Exception error) {
        if (error instanceof UnmatchedArgumentException unmatched) {
            reportUnmatched(unmatched.getUnmatched());
        } else if (error instanceof OverwrittenOptionException overwritten) {
            problems.add(name(overwritten.getOverwritten()) + ": given twice (expected: once)");
        } else if (error instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            missing.getMissing()
                    .forEach(arg -> problems.add(name(arg) + ": no value (expected: " + expected(arg) + ")"));
        } else if (error instanceof ParameterException parameter && parameter.getArgSpec() != null) {
            ArgSpec arg = parameter.getArgSpec();
            String value = parameter.getValue() == null ? "" : unmarked(parameter.getValue());
            problems.add(name(arg) + ": " + FlagReader.shown(value) + " (expected: " + expected(arg) + ")");
        } else {
            problems.add(String.valueOf(error.getMessage()));
        }
    }

    /** A plain word after an unknown flag is taken for its value. */
    private void reportUnmatched(List<String> words) {
        boolean afterFlag = false;
        for (String word : words) {
            if (word.startsWith("-")) {
                String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
                problems.add(FlagReader.shown(name) + ": unknown flag" + suggestion(name));
                afterFlag = !word.contains("=");
            } else if (!afterFlag) {
                problems.add(FlagReader.shown(word) + ": unexpected word (expected: flags only; see --help)");
            }
        }
    }

    private static String suggestion(String name) {
        if (name.startsWith("--router-")) {
            String bare = "--" + name.substring("--router-".length());
            if (knownNames().contains(bare)) {
                return " (expected: " + bare + "; the gateway starts no engines, so its flags have no prefix)";
            }
        }
        List<String> nearest = NearestNames.of(name, knownNames());
        return nearest.isEmpty()
                ? " (expected: a flag listed by --help)"
                : " (expected: perhaps " + String.join(" or ", nearest) + ")";
    }

    private static String name(ArgSpec arg) {
        return arg instanceof OptionSpec option ? option.names()[0] : arg.paramLabel();
    }

    private static String expected(ArgSpec arg) {
        return CliOptions.ALL.stream()
                .filter(flag -> flag.name().equals(name(arg)))
                .map(flag -> flag.type().expected())
                .findFirst()
                .orElse("no value");
    }
}
