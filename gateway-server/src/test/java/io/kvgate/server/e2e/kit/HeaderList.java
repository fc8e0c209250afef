package io.kvgate.server.e2e.kit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The header lines of one message, in order, names and values exactly as they were on the wire. */
public record HeaderList(List<Line> lines) {
    /** One header line; the value without the white space around it. */
    public record Line(String name, String value) {}

    public HeaderList {
        lines = List.copyOf(lines);
    }

    /** Parses the lines of a head, its first line left out. */
    static HeaderList parse(String head) throws MalformedMessageException {
        List<Line> lines = new ArrayList<>();
        int start = head.indexOf("\r\n") + 2;
        while (start < head.length()) {
            int end = head.indexOf("\r\n", start);
            if (end <= start) {
                break;
            }
            String line = head.substring(start, end);
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new MalformedMessageException("header line: " + line);
            }
            lines.add(
                    new Line(line.substring(0, colon), line.substring(colon + 1).strip()));
            start = end + 2;
        }
        return new HeaderList(lines);
    }

    /** The first value of a header, or null. */
    public @Nullable String first(String name) {
        for (Line line : lines) {
            if (line.name().equalsIgnoreCase(name)) {
                return line.value();
            }
        }
        return null;
    }

    /** All values of a header, in order. */
    public List<String> all(String name) {
        return lines.stream()
                .filter(line -> line.name().equalsIgnoreCase(name))
                .map(Line::value)
                .toList();
    }

    public boolean contains(String name) {
        return first(name) != null;
    }

    boolean says(String name, String token) {
        return all(name).stream()
                .anyMatch(value -> value.toLowerCase(java.util.Locale.ROOT).contains(token));
    }
}
