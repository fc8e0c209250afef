package io.kvgate.bench.experiment;

import ch.qos.logback.classic.Level;
import io.kvgate.core.time.Ticker;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * The command {@code bench experiment policies}: runs the policies of {@link PolicyRun#all} one after another, prints a table, and
 * writes table and plot into a document if asked.
 */
public final class ExperimentMain {
    private static final int REFUSED = 2;
    private static final int FAILED = 1;
    private static final String WRITE = "--write";
    private static final String ONLY = "--only";
    private static final int WARM_UP_SECONDS = 5;

    private ExperimentMain() {}

    /** @return the process's exit code */
    public static int run(PrintStream out, List<String> arguments) throws InterruptedException {
        try {
            Map<String, String> given = parse(arguments);
            String only = given.getOrDefault(ONLY, "");
            String write = given.getOrDefault(WRITE, "");
            given.remove(ONLY);
            given.remove(WRITE);
            ExperimentSetup setup = ExperimentSetup.of(given);
            List<PolicyRun> runs = PolicyRun.all().stream()
                    .filter(run -> run.label().contains(only))
                    .toList();
            quiet();
            List<Outcome> outcomes = outcomes(out, setup, runs);
            report(out, setup, outcomes, write);
            return outcomes.stream().allMatch(outcome -> outcome.load().bad() == 0) ? 0 : FAILED;
        } catch (IllegalArgumentException e) {
            out.println("kvgate bench experiment: " + e.getMessage());
            return REFUSED;
        } catch (IOException e) {
            out.println("kvgate bench experiment: " + e);
            return FAILED;
        }
    }

    private static List<Outcome> outcomes(PrintStream out, ExperimentSetup setup, List<PolicyRun> runs)
            throws IOException, InterruptedException {
        PolicyExperiment experiment = new PolicyExperiment(setup, Ticker.system());
        out.println("warming up the process …");
        warmUp(setup);
        List<Outcome> outcomes = new ArrayList<>();
        for (PolicyRun run : runs) {
            Outcome outcome = experiment.run(run);
            outcomes.add(outcome);
            out.printf(
                    "%-50s %5.1f %% cached, %s%n",
                    run.label(), 100 * outcome.hit(), outcome.load().outcomes());
            out.flush();
        }
        return outcomes;
    }

    /** A cold JVM serves its first seconds slowly; nobody's run shall be the one that pays for it. */
    private static void warmUp(ExperimentSetup setup) throws IOException, InterruptedException {
        ExperimentSetup brief = new ExperimentSetup(
                setup.workers(),
                setup.poolBlocks(),
                setup.shape(),
                setup.perSecond(),
                setup.speedup(),
                WARM_UP_SECONDS,
                1,
                setup.seed());
        new PolicyExperiment(brief, Ticker.system()).run(PolicyRun.of("random", PolicyRun.Spread.ALL_REPLICAS));
    }

    private static void report(PrintStream out, ExperimentSetup setup, List<Outcome> outcomes, String document)
            throws IOException {
        ExperimentReport report = new ExperimentReport(setup);
        String text = report.markdown(outcomes, machine());
        out.println();
        out.print(text);
        if (!document.isEmpty()) {
            Path file = Path.of(document);
            Path plot = file.resolveSibling("img").resolve("experiment-policies.svg");
            Files.createDirectories(plot.getParent());
            Files.writeString(plot, new ResultPlot(report).svg(outcomes));
            new DocumentSection("bench experiment policies").write(file, text);
            out.println("\nwritten: " + file + ", " + plot);
        }
    }

    private static String machine() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return String.format(
                Locale.ROOT,
                "%d processors (%s), %s %s, Java %s, load average %.1f at the end; engines, gateway and clients in one process.",
                Runtime.getRuntime().availableProcessors(),
                processor(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                System.getProperty("java.version"),
                load);
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown model");
        } catch (IOException e) {
            // Not Linux: the page does without it.
            return "unknown model";
        }
    }

    /** The gateway's and the engines' messages would stand between the results. */
    private static void quiet() {
        if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof ch.qos.logback.classic.Logger root) {
            root.setLevel(Level.ERROR);
        }
    }

    private static Map<String, String> parse(List<String> arguments) {
        Map<String, String> given = new TreeMap<>();
        for (int i = 0; i < arguments.size(); i += 2) {
            String flag = arguments.get(i);
            boolean known = flag.equals(ONLY)
                    || flag.equals(WRITE)
                    || ExperimentSetup.flags().contains(flag);
            if (!known || i + 1 == arguments.size()) {
                throw new IllegalArgumentException("argument: " + flag + " (expected: " + ONLY + ", " + WRITE + ", "
                        + String.join(", ", ExperimentSetup.flags()) + ", each with a value)");
            }
            given.put(flag, arguments.get(i + 1));
        }
        return given;
    }
}
