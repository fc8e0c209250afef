package io.kvgate.server.config;

import java.math.BigDecimal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a flag's value must be, and how its text is read.
 *
 * @param placeholder stands for the value in help
 * @param expected completes the sentence "expected: …"
 * @param separators whether commas and spaces inside one argument part it into several elements
 * @param parser the value, or null if the text is not one
 * @param <T> the type of a read value
 */
record ValueType<T>(String placeholder, String expected, boolean separators, Function<String, @Nullable T> parser) {
    /** Header names are tokens of RFC 9110. */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}");

    private static final Pattern ORIGIN =
            Pattern.compile("\\*|[A-Za-z][A-Za-z0-9+.-]*://(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?");
    private static final Pattern URL_PATH = Pattern.compile("/[\\x21\\x22\\x24-\\x7e]{0,1023}");
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,12}(\\.[0-9]{1,9})?");
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,18}");
    /** Ten years; longer times are typing errors. */
    private static final BigDecimal MAX_SECONDS = BigDecimal.valueOf(315_360_000L);

    static final ValueType<Boolean> SWITCH = new ValueType<>("", "no value", false, text -> null);

    /** Any text that is not empty. */
    static final ValueType<String> TEXT = new ValueType<>("TEXT", "text", false, text -> text.isEmpty() ? null : text);

    /** Read further by {@link StaticWorkers}. */
    static final ValueType<String> WORKER_URL =
            new ValueType<>("URL", "http://host:port or https://host:port", true, text -> text);

    /** A key that fits into a header. */
    static final ValueType<String> SECRET =
            new ValueType<>("KEY", "printable ASCII characters without spaces", false, ValueType::secret);

    /** {@code id:name:role:key}; read further by {@link ControlKeys}. */
    static final ValueType<String> CONTROL_KEY =
            new ValueType<>("ID:NAME:ROLE:KEY", ControlKeys.EXPECTED, false, text -> text);

    static final ValueType<String> PATH = new ValueType<>(
            "PATH",
            "a path that begins with / and has neither spaces nor #",
            false,
            text -> URL_PATH.matcher(text).matches() ? text : null);

    static final ValueType<String> HOST =
            new ValueType<>("HOST", "a host name or an IP address, without scheme and port", false, HostName::parse);

    static final ValueType<String> HEADER_NAME = new ValueType<>(
            "NAME",
            "a header name",
            true,
            text -> TOKEN.matcher(text).matches() ? text.toLowerCase(Locale.ROOT) : null);

    static final ValueType<String> ORIGIN_VALUE = new ValueType<>(
            "ORIGIN",
            "scheme://host or scheme://host:port without a path, or *",
            true,
            text -> ORIGIN.matcher(text).matches() ? text : null);

    static final ValueType<Path> DIRECTORY = new ValueType<>("DIR", "a directory", false, ValueType::path);

    /** A time in seconds, at least a millisecond. */
    static final ValueType<Duration> SECONDS =
            new ValueType<>("SECS", "seconds, at least 0.001, fractions allowed", false, text -> {
                Duration duration = seconds(text);
                return duration == null || duration.toMillis() < 1 ? null : duration;
            });

    /** A time in seconds that may be 0. */
    static final ValueType<Duration> SECONDS_OR_ZERO =
            new ValueType<>("SECS", "seconds, 0 or more, fractions allowed", false, text -> {
                Duration duration = seconds(text);
                return duration == null || (!duration.isZero() && duration.toMillis() < 1) ? null : duration;
            });

    /** A time in seconds, at least one. */
    static final ValueType<Duration> SECONDS_FROM_ONE =
            new ValueType<>("SECS", "seconds, 1 or more, fractions allowed", false, text -> {
                Duration duration = seconds(text);
                return duration == null || duration.toMillis() < 1_000 ? null : duration;
            });

    /** A factor that is off or at least 1. */
    static final ValueType<Double> ZERO_OR_FROM_ONE = new ValueType<>("X", "0, or a number, 1 or more", false, text -> {
        Double value = DECIMAL.matcher(text).matches() ? Double.valueOf(text) : null;
        return value == null || (value != 0 && value < 1) ? null : value;
    });

    static ValueType<Integer> integer(int min, int max) {
        return new ValueType<>("N", range(min, max), false, text -> {
            Long value = whole(text);
            return value == null || value < min || value > max ? null : Math.toIntExact(value);
        });
    }

    static ValueType<Long> bytes(long min, long max) {
        return new ValueType<>(
                "BYTES",
                "bytes, " + (max == Long.MAX_VALUE ? min + " or more" : min + " to " + max),
                false,
                text -> within(whole(text), min, max));
    }

    static ValueType<Long> count(long min) {
        return new ValueType<>(
                "N", "a whole number, " + min + " or more", false, text -> within(whole(text), min, Long.MAX_VALUE));
    }

    static ValueType<Long> millis(long min) {
        return new ValueType<>(
                "MS",
                "milliseconds, " + min + " to " + Integer.MAX_VALUE,
                false,
                text -> within(whole(text), min, Integer.MAX_VALUE));
    }

    /** A decimal number; {@code max} of infinity means no bound. */
    static ValueType<Double> decimal(double min, double max, boolean separators) {
        String expected = Double.isInfinite(max)
                ? "a number, " + plain(min) + " or more"
                : "a number, " + plain(min) + " to " + plain(max);
        return new ValueType<>("X", expected, separators, text -> {
            if (!DECIMAL.matcher(text).matches()) {
                return null;
            }
            double value = Double.parseDouble(text);
            return value < min || value > max ? null : value;
        });
    }

    /** A number above 0, as an element of a list. */
    static ValueType<Double> positiveElement() {
        return new ValueType<>("X", "numbers above 0, ascending", true, text -> {
            if (!DECIMAL.matcher(text).matches()) {
                return null;
            }
            double value = Double.parseDouble(text);
            return value > 0 ? value : null;
        });
    }

    static <E extends Enum<E>> ValueType<E> choice(E[] values) {
        List<E> choices = List.of(values);
        String expected = choices.stream().map(ValueType::text).collect(Collectors.joining(", "));
        return new ValueType<>(
                expected.replace(", ", "|"),
                expected,
                false,
                given -> choices.stream()
                        .filter(choice -> text(choice).equalsIgnoreCase(given.replace('-', '_')))
                        .findFirst()
                        .orElse(null));
    }

    /** How flags and help spell an enum constant. */
    static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Seconds without needless zeros. */
    static String text(Duration duration) {
        return BigDecimal.valueOf(duration.getSeconds())
                .add(BigDecimal.valueOf(duration.getNano(), 9))
                .stripTrailingZeros()
                .toPlainString();
    }

    static String plain(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    /** The elements of one argument of a list; empty ones are left out. */
    List<String> elements(String argument) {
        if (!separators) {
            return List.of(argument);
        }
        return Arrays.stream(argument.split("[,\\s]+"))
                .filter(element -> !element.isEmpty())
                .toList();
    }

    private static String range(int min, int max) {
        if (max < Integer.MAX_VALUE) {
            return "a whole number, " + min + " to " + max;
        }
        return min > Integer.MIN_VALUE ? "a whole number, " + min + " or more" : "a whole number";
    }

    private static @Nullable Long whole(String text) {
        return WHOLE.matcher(text).matches() ? Long.valueOf(text) : null;
    }

    private static @Nullable Long within(@Nullable Long value, long min, long max) {
        return value == null || value < min || value > max ? null : value;
    }

    private static @Nullable Duration seconds(String text) {
        if (text.startsWith("-") || !DECIMAL.matcher(text).matches()) {
            return null;
        }
        BigDecimal value = new BigDecimal(text);
        return value.compareTo(MAX_SECONDS) > 0
                ? null
                : Duration.ofNanos(value.movePointRight(9).longValueExact());
    }

    private static @Nullable String secret(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c > 0x20 && c < 0x7f) ? text : null;
    }

    private static @Nullable Path path(String text) {
        try {
            return text.isEmpty() ? null : Path.of(text);
        } catch (InvalidPathException e) {
            return null;
        }
    }
}
