package io.kvgate.bench.experiment;

import io.kvgate.bench.load.Latencies;
import java.util.List;
import java.util.Locale;

/**
 * The experiment's results as an SVG: for each run a bar for the cached share of prompt tokens with a mark where the closed form
 * expects it, and beside it the median, 90th and 99th percentile of the time to first token, on a logarithmic axis.
 */
final class ResultPlot {
    private static final int WIDTH = 970;
    private static final int LABELS = 290;
    private static final int PANEL = 290;
    private static final int GAP = 50;
    private static final int ROW = 34;
    private static final int TOP = 64;
    private static final int BOTTOM = 58;
    private static final double LEAST_MILLIS = 10;
    private static final double MOST_MILLIS = 3_000;
    private static final double[] TICKS_MILLIS = {10, 30, 100, 300, 1_000, 3_000};

    private final ExperimentReport report;
    private final StringBuilder svg = new StringBuilder();

    ResultPlot(ExperimentReport report) {
        this.report = report;
    }

    String svg(List<Outcome> outcomes) {
        int height = TOP + outcomes.size() * ROW + BOTTOM;
        svg.setLength(0);
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\" role=\"img\">%n",
                WIDTH, height);
        add("<title>Cached share of prompt tokens and time to first token by policy</title>%n");
        add("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>%n", WIDTH, height);
        heading(shareX(0), "Prompt tokens found in caches");
        heading(timeX(LEAST_MILLIS), "Time to first token, engine time");
        axes(outcomes.size());
        for (int i = 0; i < outcomes.size(); i++) {
            row(outcomes.get(i), TOP + i * ROW + ROW / 2);
        }
        legend(TOP + outcomes.size() * ROW + 44);
        add("</svg>%n");
        return svg.toString();
    }

    private void axes(int rows) {
        int bottom = TOP + rows * ROW;
        for (int percent = 0; percent <= 100; percent += 25) {
            tick(shareX(percent / 100.0), bottom, percent + " %");
        }
        for (double millis : TICKS_MILLIS) {
            tick(timeX(millis), bottom, millis < 1_000 ? (int) millis + " ms" : (int) (millis / 1_000) + " s");
        }
    }

    private void tick(double x, int bottom, String label) {
        add("<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>%n", x, TOP, x, bottom);
        add("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%s</text>%n", x, bottom + 16, label);
    }

    private void row(Outcome outcome, int y) {
        add(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n",
                LABELS - 10, y + 4, outcome.run().label());
        double from = shareX(0);
        double to = shareX(outcome.hit());
        add("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"#3b6ea8\"/>%n", from, y - 8, to - from);
        if (!Double.isNaN(outcome.expectedHit())) {
            double mark = shareX(outcome.expectedHit());
            add(
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#d1495b\" stroke-width=\"3\"/>%n",
                    mark, y - 12, mark, y + 12);
        }
        Latencies first = outcome.load().timeToFirstToken();
        double left = timeX(report.engineMillis(first.p50Nanos()));
        double right = timeX(report.engineMillis(first.p99Nanos()));
        add("<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#999\"/>%n", left, y, right, y);
        dot(left, y, "#2a7f62");
        dot(timeX(report.engineMillis(first.p90Nanos())), y, "#e09f3e");
        dot(right, y, "#9e2a2b");
    }

    private void legend(int y) {
        double share = shareX(0);
        add("<rect x=\"%.1f\" y=\"%d\" width=\"14\" height=\"10\" fill=\"#3b6ea8\"/>%n", share, y - 9);
        add("<text x=\"%.1f\" y=\"%d\">measured</text>%n", share + 20, y);
        add("<rect x=\"%.1f\" y=\"%d\" width=\"3\" height=\"14\" fill=\"#d1495b\"/>%n", share + 96, y - 11);
        add("<text x=\"%.1f\" y=\"%d\">closed form</text>%n", share + 106, y);
        String[] names = {"p50", "p90", "p99"};
        String[] colours = {"#2a7f62", "#e09f3e", "#9e2a2b"};
        for (int i = 0; i < names.length; i++) {
            double x = timeX(LEAST_MILLIS) + i * 60;
            dot(x + 5, y - 4, colours[i]);
            add("<text x=\"%.1f\" y=\"%d\">%s</text>%n", x + 14, y, names[i]);
        }
    }

    private void heading(double x, String words) {
        add("<text x=\"%.1f\" y=\"%d\" font-size=\"14\" font-weight=\"bold\">%s</text>%n", x, TOP - 22, words);
    }

    private void dot(double x, int y, String colour) {
        add("<circle cx=\"%.1f\" cy=\"%d\" r=\"5\" fill=\"%s\"/>%n", x, y, colour);
    }

    private static double shareX(double share) {
        return LABELS + share * PANEL;
    }

    private static double timeX(double millis) {
        double within = Math.min(MOST_MILLIS, Math.max(LEAST_MILLIS, millis));
        double share = Math.log(within / LEAST_MILLIS) / Math.log(MOST_MILLIS / LEAST_MILLIS);
        return LABELS + PANEL + GAP + share * PANEL;
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format.replace("%n", "\n"), values));
    }
}
