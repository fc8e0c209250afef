package io.kvgate.server.monitor;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Merges the metrics of several workers into one exposition: each family once, with one HELP and TYPE, and each sample with the
 * label {@value #LABEL}. A worker's own label of that name becomes {@code exported_worker_addr}.
 *
 * <p>Threading: confined to its caller.
 *
 * <p>Bounded: a worker whose samples would exceed the limit is left out whole and counted.
 */
public final class MetricsMerge {
    private static final String LABEL = "worker_addr";
    private static final String[] SUFFIXES = {"_bucket", "_sum", "_count", "_created", "_total", "_info"};

    /** One family over all workers. HELP and TYPE are those of the first worker that gives them. */
    private static final class Family {
        @Nullable
        String help;

        @Nullable
        String type;

        final StringBuilder samples = new StringBuilder();
    }

    private final long maxChars;
    private final Map<String, Family> families = new LinkedHashMap<>();
    private long chars;
    private int leftOut;

    /** The limit of the merged text in characters. */
    public MetricsMerge(long maxChars) {
        this.maxChars = maxChars;
    }

    /** Adds a worker's exposition. */
    public void add(String workerAddress, byte[] exposition) {
        if (chars + exposition.length > maxChars) {
            leftOut++;
            return;
        }
        String label = LABEL + "=\"" + escape(workerAddress) + "\"";
        MetricsText.parse(exposition, new Collector(label));
    }

    /** Workers left out because the limit was reached. */
    public int leftOut() {
        return leftOut;
    }

    /** The merged exposition. */
    public byte[] toBytes() {
        StringBuilder text = new StringBuilder();
        if (leftOut > 0) {
            text.append("# kvgate: ").append(leftOut).append(" workers left out, size limit reached\n");
        }
        families.forEach((name, family) -> {
            if (family.samples.isEmpty()) {
                return;
            }
            if (family.help != null) {
                text.append("# HELP ")
                        .append(name)
                        .append(' ')
                        .append(family.help)
                        .append('\n');
            }
            if (family.type != null) {
                text.append("# TYPE ")
                        .append(name)
                        .append(' ')
                        .append(family.type)
                        .append('\n');
            }
            text.append(family.samples);
        });
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String escape(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    /** Takes one worker's lines in. */
    private final class Collector implements MetricsText.Visitor {
        private final String label;
        private final Map<String, String> types = new HashMap<>();

        Collector(String label) {
            this.label = label;
        }

        @Override
        public void help(String name, String text) {
            Family family = family(name);
            if (family.help == null) {
                family.help = text;
                chars += text.length();
            }
        }

        @Override
        public void type(String name, String type) {
            types.put(name, type);
            Family family = family(name);
            if (family.type == null) {
                family.type = type;
            }
        }

        @Override
        public void sample(MetricsText.Sample sample) {
            StringBuilder samples = family(familyOf(sample.name())).samples;
            int before = samples.length();
            samples.append(sample.name()).append('{').append(label);
            if (!sample.labels().isEmpty()) {
                samples.append(',').append(withoutClash(sample));
            }
            samples.append("} ").append(sample.valueText()).append('\n');
            chars += samples.length() - before;
        }

        private String withoutClash(MetricsText.Sample sample) {
            String labels = sample.labels();
            if (sample.label(LABEL) == null) {
                return labels;
            }
            String own = labels.startsWith(LABEL + "=")
                    ? labels
                    : labels.replace("," + LABEL + "=", ",exported_" + LABEL + "=");
            return labels.startsWith(LABEL + "=") ? "exported_" + own : own;
        }

        /** The family a sample belongs to: its own name, or that without the suffix of a histogram or summary. */
        private String familyOf(String name) {
            if (types.containsKey(name)) {
                return name;
            }
            for (String suffix : SUFFIXES) {
                if (name.endsWith(suffix)) {
                    String stem = name.substring(0, name.length() - suffix.length());
                    if (types.containsKey(stem)) {
                        return stem;
                    }
                }
            }
            return name;
        }

        private Family family(String name) {
            return families.computeIfAbsent(name, key -> new Family());
        }
    }
}
