package io.kvgate.bench.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Collection;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs micro-benchmarks with JMH's own options, always with its allocation profiler, and ends with a table for a document. Without
 * options: all of them.
 */
public final class JmhMain {
    private static final int REFUSED = 2;

    private JmhMain() {}

    /** @return the process's exit code */
    public static int run(PrintStream out, String... arguments) throws IOException {
        try {
            CommandLineOptions given = new CommandLineOptions(arguments);
            if (given.shouldHelp()) {
                given.showHelp();
                return 0;
            }
            if (given.shouldList()) {
                new Runner(given).list();
                return 0;
            }
            Collection<RunResult> results = new Runner(new OptionsBuilder()
                            .parent(given)
                            .addProfiler(GCProfiler.class)
                            .build())
                    .run();
            out.print(BenchmarkTable.markdown(results));
            out.flush();
            return 0;
        } catch (CommandLineOptionException | RunnerException e) {
            out.println("kvgate bench jmh: " + e.getMessage());
            return REFUSED;
        }
    }
}
