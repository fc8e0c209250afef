package io.kvgate.server.monitor;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the Prometheus text format line by line. Lines that are not well formed are left out and counted: engines are not trusted
 * to write well.
 */
public final class MetricsText {
    /**
     * One sample.
     *
     * @param name its name, as {@code vllm:num_requests_running}
     * @param labels what stands between the braces, as written; empty if there is nothing
     * @param valueText value, and timestamp if there is one, as written
     * @param value the value
     */
    public record Sample(String name, String labels, String valueText, double value) {
        /** A label's value with its escapes as written; null if the sample has no such label. */
        public @Nullable String label(String wanted) {
            int at = 0;
            while (at < labels.length()) {
                int equals = labels.indexOf('=', at);
                int end = closingQuote(labels, equals + 2);
                String key = labels.substring(at, equals).strip();
                if (key.equals(wanted)) {
                    return labels.substring(labels.indexOf('"', equals) + 1, end);
                }
                at = end + 1;
                while (at < labels.length() && (labels.charAt(at) == ',' || labels.charAt(at) == ' ')) {
                    at++;
                }
            }
            return null;
        }
    }

    /** Told of each line in turn. */
    public interface Visitor {
        /** A {@code # HELP} line; {@code text} as written. */
        default void help(String family, String text) {}

        /** A {@code # TYPE} line; {@code type} in lower case. */
        default void type(String family, String type) {}

        void sample(Sample sample);
    }

    private MetricsText() {}

    /** Reads a whole exposition and returns the number of lines left out as malformed. */
    public static int parse(byte[] exposition, Visitor visitor) {
        String text = new String(exposition, StandardCharsets.UTF_8);
        int malformed = 0;
        int start = 0;
        while (start < text.length()) {
            int newline = text.indexOf('\n', start);
            int end = newline < 0 ? text.length() : newline;
            String line = text.substring(start, end).strip();
            start = end + 1;
            if (line.isEmpty()) {
                continue;
            }
            if (line.charAt(0) == '#') {
                comment(line, visitor);
                continue;
            }
            Sample sample = sample(line);
            if (sample == null) {
                malformed++;
            } else {
                visitor.sample(sample);
            }
        }
        return malformed;
    }

    private static void comment(String line, Visitor visitor) {
        String[] parts = line.split("[ \t]+", 4);
        if (parts.length < 3 || nameEnd(parts[2], 0) != parts[2].length()) {
            return;
        }
        if (parts[1].equals("HELP")) {
            visitor.help(parts[2], parts.length == 4 ? parts[3] : "");
        } else if (parts[1].equals("TYPE") && parts.length == 4) {
            visitor.type(parts[2], parts[3].strip().toLowerCase(Locale.ROOT));
        }
    }

    private static @Nullable Sample sample(String line) {
        int nameEnd = nameEnd(line, 0);
        if (nameEnd == 0) {
            return null;
        }
        String name = line.substring(0, nameEnd);
        int at = skipBlanks(line, nameEnd);
        String labels = "";
        if (at < line.length() && line.charAt(at) == '{') {
            int close = closingBrace(line, at + 1);
            if (close < 0) {
                return null;
            }
            labels = line.substring(at + 1, close).strip();
            if (labels.endsWith(",")) {
                labels = labels.substring(0, labels.length() - 1).strip();
            }
            at = close + 1;
        }
        int exemplar = line.indexOf(" #", at);
        String rest =
                line.substring(at, exemplar < 0 ? line.length() : exemplar).strip();
        String[] numbers = rest.split("[ \t]+");
        if (numbers.length > 2 || (numbers.length == 2 && !isTimestamp(numbers[1]))) {
            return null;
        }
        Double value = number(numbers[0]);
        return value == null ? null : new Sample(name, labels, String.join(" ", numbers), value);
    }

    private static int nameEnd(String text, int from) {
        int at = from;
        while (at < text.length() && isNameChar(text.charAt(at), at > from)) {
            at++;
        }
        return at;
    }

    private static boolean isNameChar(char c, boolean digitsToo) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || c == '_'
                || c == ':'
                || (digitsToo && c >= '0' && c <= '9');
    }

    private static int skipBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
        return at;
    }

    /** Walks {@code name="value",…} from {@code from} to the brace that ends it; −1 if it is not well formed. */
    private static int closingBrace(String line, int from) {
        int at = skipBlanks(line, from);
        while (at < line.length() && line.charAt(at) != '}') {
            int nameEnd = nameEnd(line, at);
            if (nameEnd == at || !line.startsWith("=\"", nameEnd)) {
                return -1;
            }
            int quote = closingQuote(line, nameEnd + 2);
            if (quote < 0) {
                return -1;
            }
            at = skipBlanks(line, quote + 1);
            if (at < line.length() && line.charAt(at) == ',') {
                at = skipBlanks(line, at + 1);
            } else if (at < line.length() && line.charAt(at) != '}') {
                return -1;
            }
        }
        return at < line.length() ? at : -1;
    }

    /** Index of the quote that ends the value beginning at {@code from}; −1 if there is none. */
    private static int closingQuote(String line, int from) {
        for (int i = from; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                return i;
            }
        }
        return -1;
    }

    private static boolean isTimestamp(String text) {
        return number(text) != null;
    }

    private static @Nullable Double number(String text) {
        return switch (text) {
            case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            case "NaN" -> Double.NaN;
            default -> finite(text);
        };
    }

    private static @Nullable Double finite(String text) {
        if (text.isEmpty() || text.chars().anyMatch(c -> "0123456789+-.eE".indexOf(c) < 0)) {
            return null;
        }
        try {
            return Double.valueOf(text);
        } catch (NumberFormatException malformed) {
            return null;
        }
    }
}
