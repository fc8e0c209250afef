package io.kvgate.bench;

import io.kvgate.bench.experiment.ExperimentMain;
import io.kvgate.bench.jmh.JmhMain;
import io.kvgate.bench.sim.SimulationMain;
import java.io.IOException;
import java.util.List;

/** The command {@code kvgate bench}: picks what to run by its first words. */
public final class BenchMain {
    private static final int REFUSED = 2;
    private static final String USAGE = """
            kvgate bench jmh [JMH options]               micro-benchmarks; -h lists the options, -l the benchmarks
            kvgate bench experiment policies [flags]     policies side by side, through a gateway and simulated engines
            kvgate bench simulate [flags]                a policy and engine models in virtual time; alone it prints the table of
                                                         docs/policies/cache_aware.md
                --workload even|hot|documents|sessions, --rate, --secs, --seed, --write FILE, and the gateway's flags
            """;

    private BenchMain() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.exit(run(List.of(arguments)));
    }

    private static int run(List<String> arguments) throws IOException, InterruptedException {
        String first = arguments.isEmpty() ? "" : arguments.get(0);
        if (first.equals("jmh")) {
            return JmhMain.run(
                    System.out, arguments.subList(1, arguments.size()).toArray(String[]::new));
        }
        if (first.equals("experiment")
                && arguments.size() > 1
                && arguments.get(1).equals("policies")) {
            return ExperimentMain.run(System.out, arguments.subList(2, arguments.size()));
        }
        if (first.equals("simulate")) {
            return SimulationMain.run(System.out, arguments.subList(1, arguments.size()));
        }
        System.err.print(USAGE);
        return REFUSED;
    }
}
