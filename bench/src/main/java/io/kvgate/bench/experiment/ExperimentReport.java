package io.kvgate.bench.experiment;

import io.kvgate.bench.load.Latencies;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** The experiment's conditions and results as Markdown. */
final class ExperimentReport {
    private static final double NANOS_PER_MILLI = 1e6;

    private final ExperimentSetup setup;

    ExperimentReport(ExperimentSetup setup) {
        this.setup = setup;
    }

    /** @param machine where it ran, in words */
    String markdown(List<Outcome> outcomes, String machine) {
        StringBuilder text = new StringBuilder();
        text.append("| flags | requests | cached tokens | prompt tokens | cached | closed form | TTFT p50 | p90 | p99 |"
                + " busiest worker | not good |\n");
        text.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        outcomes.forEach(outcome -> row(outcome, text));
        text.append('\n').append(conditions(machine));
        reasons(outcomes, text);
        return text.toString();
    }

    private static void reasons(List<Outcome> outcomes, StringBuilder text) {
        List<Outcome> known = outcomes.stream()
                .filter(outcome -> !outcome.reasons().isEmpty())
                .toList();
        if (known.isEmpty()) {
            return;
        }
        Set<String> names = new TreeSet<>();
        known.forEach(outcome -> names.addAll(outcome.reasons().keySet()));
        text.append("\nWhy `cache_aware` chose as it did, in requests:\n\n| flags | ")
                .append(String.join(" | ", names));
        text.append(" |\n|---|").append("--:|".repeat(names.size())).append('\n');
        for (Outcome outcome : known) {
            text.append("| `").append(outcome.run().label()).append('`');
            names.forEach(name -> cell(text, "%d", outcome.reasons().getOrDefault(name, 0L)));
            text.append(" |\n");
        }
    }

    private void row(Outcome outcome, StringBuilder text) {
        Latencies first = outcome.load().timeToFirstToken();
        text.append("| `--policy ").append(outcome.run().label()).append('`');
        cell(text, "%d", outcome.load().good());
        cell(text, "%,d", outcome.engines().cachedTokens());
        cell(text, "%,d", outcome.engines().promptTokens());
        cell(text, "%.1f %%", 100 * outcome.hit());
        if (Double.isNaN(outcome.expectedHit())) {
            text.append(" | –");
        } else {
            cell(text, "%.1f %%", 100 * outcome.expectedHit());
        }
        cell(text, "%.0f ms", engineMillis(first.p50Nanos()));
        cell(text, "%.0f ms", engineMillis(first.p90Nanos()));
        cell(text, "%.0f ms", engineMillis(first.p99Nanos()));
        cell(text, "%.1f %%", 100 * outcome.busiestShare());
        cell(text, "%d", outcome.load().bad());
        text.append(" |\n");
    }

    /** Engine time of a measured time. */
    double engineMillis(long nanos) {
        return nanos / NANOS_PER_MILLI * setup.speedup();
    }

    private String conditions(String machine) {
        return String.format(
                Locale.ROOT,
                "%d engines of %,d blocks of 16 tokens; %d tenants, system prompts of %,d tokens (%d blocks), turns of %d,"
                        + " answers of %d; %.0f requests/s of engine time, Poisson; engines %.0f times faster than real,"
                        + " TTFT in their time; counted for %d s after %d s of warm-up, each run with empty caches; seed"
                        + " %d. %s%n",
                setup.workers(),
                setup.poolBlocks(),
                setup.shape().tenants(),
                setup.shape().prefixTokens(),
                setup.prefixBlocks(),
                setup.shape().turnTokens(),
                setup.shape().outputTokens(),
                setup.perSecond(),
                setup.speedup(),
                setup.seconds(),
                setup.warmUpSeconds(),
                setup.seed(),
                machine);
    }

    private static void cell(StringBuilder text, String format, Object value) {
        text.append(" | ").append(String.format(Locale.ROOT, format, value));
    }
}
