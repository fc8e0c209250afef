package io.kvgate.server.e2e.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One scrape of the Prometheus text format. */
public final class Exposition {
    /** One sample. */
    public record Sample(String name, Map<String, String> labels, double value) {}

    private static final Pattern LINE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)(?: \\d+)?");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private final List<Sample> samples = new ArrayList<>();
    private final String text;

    Exposition(String text) {
        this.text = text;
        text.lines().filter(line -> !line.isEmpty() && line.charAt(0) != '#').forEach(line -> {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new AssertionError("not a sample: " + line);
            }
            Map<String, String> labels = new TreeMap<>();
            if (matcher.group(2) != null) {
                Matcher label = LABEL.matcher(matcher.group(2));
                while (label.find()) {
                    labels.put(label.group(1), label.group(2));
                }
            }
            samples.add(new Sample(matcher.group(1), labels, number(matcher.group(3))));
        });
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    public String text() {
        return text;
    }

    /** Samples of this name that have these labels, given as name, value, name, value. */
    public List<Sample> samples(String name, String... labels) {
        return samples.stream()
                .filter(sample -> sample.name().equals(name))
                .filter(sample -> {
                    for (int i = 0; i < labels.length; i += 2) {
                        if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
                            return false;
                        }
                    }
                    return true;
                })
                .toList();
    }

    /** Their sum; 0 if there is none. */
    public double sum(String name, String... labels) {
        return samples(name, labels).stream().mapToDouble(Sample::value).sum();
    }

    public boolean has(String name, String... labels) {
        return !samples(name, labels).isEmpty();
    }
}
