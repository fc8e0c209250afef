package io.kvgate.bench.engine;

import io.kvgate.bench.engine.api.EngineFlavour;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * Runs engines from a command line until it is interrupted: {@code [--port N] [--count N] [--model NAME]
 * [--flavour vllm|sglang] [--speedup X] [--dp-size N] [--blocks N]}. With a port, further engines take the ports
 * after it. Prints one URL a line.
 */
public final class SimulatedEngineMain {
    private static final int USAGE_ERROR = 2;

    private SimulatedEngineMain() {}

    public static void main(String[] args) throws InterruptedException {
        int count;
        SimulatedEngineConfig config;
        try {
            count = Integer.parseInt(option(args, "--count", "1"));
            config = config(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(USAGE_ERROR);
            return;
        }
        List<SimulatedEngine> engines = new ArrayList<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> engines.forEach(SimulatedEngine::close), "stop-engines"));
        for (int i = 0; i < count; i++) {
            int port = config.port() == 0 ? 0 : config.port() + i;
            SimulatedEngine engine = SimulatedEngine.start(config.withPort(port));
            engines.add(engine);
            System.out.println(engine.url());
        }
        new CountDownLatch(1).await();
    }

    static SimulatedEngineConfig config(String... args) {
        for (int i = 0; i < args.length; i += 2) {
            if (!List.of("--port", "--count", "--model", "--flavour", "--speedup", "--dp-size", "--blocks")
                            .contains(args[i])
                    || i + 1 == args.length) {
                throw new IllegalArgumentException("argument: " + args[i]
                        + " (expected: --port, --count, --model, --flavour, --speedup, --dp-size or --blocks,"
                        + " each with a value)");
            }
        }
        SimulatedEngineConfig defaults = SimulatedEngineConfig.defaults();
        String blocks =
                option(args, "--blocks", Integer.toString(defaults.profile().totalBlocks()));
        return defaults.withPort(Integer.parseInt(option(args, "--port", "0")))
                .withModels(option(args, "--model", defaults.models().get(0)))
                .withFlavour(
                        EngineFlavour.valueOf(option(args, "--flavour", "vllm").toUpperCase(Locale.ROOT)))
                .withSpeedup(Double.parseDouble(option(args, "--speedup", "1")))
                .withDpSize(Integer.parseInt(option(args, "--dp-size", "1")))
                .withPool(Integer.parseInt(blocks), defaults.profile().blockSizeTokens());
    }

    private static String option(String[] args, String name, String otherwise) {
        for (int i = 0; i + 1 < args.length; i += 2) {
            if (args[i].equals(name)) {
                return args[i + 1];
            }
        }
        return otherwise;
    }
}
