package io.kvgate.bench.demo;

import io.kvgate.bench.engine.SimulatedEngine;
import io.kvgate.bench.engine.SimulatedEngineConfig;
import io.kvgate.policies.PolicySettings;
import io.kvgate.server.Gateway;
import io.kvgate.server.config.CommandLineOutcome;
import io.kvgate.server.config.ConfigLoader;
import io.kvgate.server.config.GatewayConfig;
import io.kvgate.server.observability.LogSetup;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts four simulated engines and a gateway in front of them, says what to try, and ends all on a signal. Takes the gateway's
 * flags, except {@code --worker-urls}.
 */
public final class Demo {
    private static final int ENGINES = 4;
    private static final int REFUSED = 2;

    private Demo() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.exit(run(List.of(arguments)));
    }

    private static int run(List<String> arguments) throws InterruptedException {
        List<SimulatedEngine> engines = new ArrayList<>();
        try {
            for (int i = 0; i < ENGINES; i++) {
                engines.add(
                        SimulatedEngine.start(SimulatedEngineConfig.defaults().withSeed(i + 1)));
            }
            CommandLineOutcome outcome =
                    new ConfigLoader(PolicySettings.names(), "kvgate demo").load(withDefaults(arguments, engines));
            if (outcome instanceof CommandLineOutcome.Print print) {
                System.out.print(print.text());
                return 0;
            }
            if (outcome instanceof CommandLineOutcome.Refuse refuse) {
                refuse.problems().forEach(problem -> System.err.println("kvgate demo: " + problem));
                return REFUSED;
            }
            return serve(((CommandLineOutcome.Start) outcome).config(), engines);
        } finally {
            engines.forEach(SimulatedEngine::close);
        }
    }

    /** Loopback only, and no minutes of waiting at the end; what the user says comes after and wins. */
    private static List<String> withDefaults(List<String> arguments, List<SimulatedEngine> engines) {
        List<String> all = new ArrayList<>(List.of("--health-check-interval-secs", "5"));
        addUnlessGiven(all, arguments, "--host", "127.0.0.1");
        addUnlessGiven(all, arguments, "--prometheus-host", "127.0.0.1");
        addUnlessGiven(all, arguments, "--drain-settle-secs", "0");
        addUnlessGiven(all, arguments, "--shutdown-grace-period-secs", "2");
        all.addAll(arguments);
        all.add("--worker-urls");
        engines.forEach(engine -> all.add(engine.url().toString()));
        return all;
    }

    private static void addUnlessGiven(List<String> all, List<String> arguments, String flag, String value) {
        boolean given = arguments.stream().anyMatch(a -> a.equals(flag) || a.startsWith(flag + "="));
        if (!given) {
            all.add(flag);
            all.add(value);
        }
    }

    private static int serve(GatewayConfig config, List<SimulatedEngine> engines) throws InterruptedException {
        PrintStream out = System.out;
        try (LogSetup logs = LogSetup.start(config.log(), out);
                Gateway gateway = Gateway.start(config)) {
            Runtime.getRuntime().addShutdownHook(new Thread(gateway::close, "demo-stop"));
            print(config.listen().url(gateway.port()), config.metrics().url(gateway.metricsPort()), engines);
            gateway.awaitShutdown();
            if (logs.droppedLines() > 0) {
                System.err.println("kvgate demo: " + logs.droppedLines() + " log lines were dropped");
            }
            return 0;
        } catch (IOException e) {
            System.err.println("kvgate demo: " + e.getMessage());
            return REFUSED;
        }
    }

    private static void print(String gateway, String metrics, List<SimulatedEngine> engines) {
        String model = engines.get(0).config().models().get(0);
        String body = "{\"model\":\"" + model + "\",\"stream\":true,\"max_tokens\":32,"
                + "\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story\"}]}";
        StringBuilder text = new StringBuilder("\n");
        text.append("Gateway:  ").append(gateway).append('\n');
        text.append("Metrics:  ").append(metrics).append('\n');
        engines.forEach(engine -> text.append("Engine:   ").append(engine.url()).append('\n'));
        text.append("Model:    ").append(model).append('\n');
        text.append("Try:      curl -N ")
                .append(gateway)
                .append("/v1/chat/completions -H 'content-type: application/json' -d '")
                .append(body)
                .append("'\n\n");
        text.append("Look at   ").append(gateway).append("/workers    who is there, how they are, what they do\n");
        text.append("          ").append(metrics).append("    what the gateway counted\n");
        text.append("          ENGINE/metrics    what each engine counted\n");
        text.append("          the lines below: one for each request\n");
        text.append("End it with Ctrl-C.\n\n");
        System.out.print(text);
        System.out.flush();
    }
}
