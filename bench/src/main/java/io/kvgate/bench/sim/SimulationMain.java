package io.kvgate.bench.sim;

import ch.qos.logback.classic.Level;
import io.kvgate.bench.experiment.DocumentSection;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.LoggerFactory;

/**
 * The command {@code bench simulate}: one workload under one policy, or all lines of {@link SimulationRun#documented}. What isn't a
 * flag of its own goes to the gateway's configuration.
 */
public final class SimulationMain {
    private static final int REFUSED = 2;
    private static final int FAILED = 1;
    private static final String WORKLOAD = "--workload";
    private static final String RATE = "--rate";
    private static final String SECONDS = "--secs";
    private static final String SEED = "--seed";
    private static final String WRITE = "--write";
    private static final Set<String> OWN = Set.of(WORKLOAD, RATE, SECONDS, SEED, WRITE);
    private static final String DEFAULT_SECONDS = "120";
    private static final String DEFAULT_SEED = "1";

    private final PrintStream out;
    private final Map<String, String> own = new TreeMap<>();
    private final List<String> gatewayFlags = new ArrayList<>();

    private SimulationMain(PrintStream out) {
        this.out = out;
    }

    /** @return the process's exit code */
    public static int run(PrintStream out, List<String> arguments) {
        try {
            SimulationMain main = new SimulationMain(out);
            main.parse(arguments);
            quiet();
            main.simulate();
            return 0;
        } catch (IllegalArgumentException e) {
            out.println("kvgate bench simulate: " + e.getMessage());
            return REFUSED;
        } catch (IOException e) {
            out.println("kvgate bench simulate: " + e);
            return FAILED;
        }
    }

    private void parse(List<String> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (!OWN.contains(argument)) {
                gatewayFlags.add(argument);
            } else if (++i == arguments.size()) {
                throw new IllegalArgumentException(argument + ": nothing (expected: a value)");
            } else {
                own.put(argument, arguments.get(i));
            }
        }
    }

    private void simulate() throws IOException {
        int seconds = whole(SECONDS, DEFAULT_SECONDS);
        long seed = whole(SEED, DEFAULT_SEED);
        List<SimulationRun> runs = runs();
        // Wrong flags are told before anything takes time.
        runs.forEach(SimulationRun::policy);
        SimulationTable table = new SimulationTable();
        for (SimulationRun run : runs) {
            SimulationResult result = run.result(seconds, seed);
            out.print(table.add(run, result));
            out.println("  requests per reason: " + result.reasons());
            out.flush();
        }
        String text = table.markdown() + conditions(seconds, seed);
        out.print("\n" + text);
        String document = own.getOrDefault(WRITE, "");
        if (!document.isEmpty()) {
            new DocumentSection("bench simulate").write(Path.of(document), text);
            out.println("\nwritten: " + document);
        }
    }

    private List<SimulationRun> runs() {
        String workload = own.get(WORKLOAD);
        if (workload == null) {
            if (!gatewayFlags.isEmpty() || own.containsKey(RATE)) {
                throw new IllegalArgumentException(WORKLOAD + ": nothing (expected: one of "
                        + String.join(", ", Scenario.labels()) + ", as there are other flags)");
            }
            return SimulationRun.documented();
        }
        Scenario scenario = Scenario.of(workload);
        String rate = own.get(RATE);
        double perSecond = rate == null ? scenario.perSecond() : number(RATE, rate);
        return List.of(new SimulationRun(scenario, perSecond, gatewayFlags));
    }

    private static String conditions(int seconds, long seed) {
        return "\n" + seconds + " s of virtual time, the first third of it not counted; seed " + seed + ".\n";
    }

    private int whole(String flag, String otherwise) {
        String text = own.getOrDefault(flag, otherwise);
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(flag + ": " + text + " (expected: a whole number)", e);
        }
    }

    private static double number(String flag, String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(flag + ": " + text + " (expected: a number)", e);
        }
    }

    /** The registry tells of each worker; that would stand between the results. */
    private static void quiet() {
        if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof ch.qos.logback.classic.Logger root) {
            root.setLevel(Level.ERROR);
        }
    }
}
