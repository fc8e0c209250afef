package io.kvgate.bench.experiment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvgate.bench.engine.SimulatedEngine;
import io.kvgate.bench.engine.SimulatedEngineConfig;
import io.kvgate.bench.load.LoadGenerator;
import io.kvgate.bench.load.LoadPlan;
import io.kvgate.bench.load.LoadResult;
import io.kvgate.bench.workload.Arrivals;
import io.kvgate.bench.workload.TenantWorkload;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.time.Ticker;
import io.kvgate.policies.PolicySettings;
import io.kvgate.server.Gateway;
import io.kvgate.server.config.CommandLineOutcome;
import io.kvgate.server.config.ConfigLoader;
import io.kvgate.server.config.GatewayConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Tenants with long system prompts, a gateway, and engines whose caches can't hold all of them: runs the same requests against one
 * policy after another. Each run has new engines with empty caches and a new gateway, started with the flags a user would give.
 *
 * <p>Threading: one thread.
 */
final class PolicyExperiment {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_IN_FLIGHT = 2_000;
    private static final int MAX_REQUESTS = 1_000_000;
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(20);
    private static final long POLL_NANOS = 20_000_000;

    private final ExperimentSetup setup;
    private final Ticker ticker;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    PolicyExperiment(ExperimentSetup setup, Ticker ticker) {
        this.setup = setup;
        this.ticker = ticker;
    }

    /** @throws IllegalArgumentException the gateway refuses the run's flags */
    Outcome run(PolicyRun run) throws IOException, InterruptedException {
        List<SimulatedEngine> engines = new ArrayList<>();
        try {
            for (int i = 0; i < setup.workers(); i++) {
                engines.add(SimulatedEngine.start(SimulatedEngineConfig.defaults()
                        .withModels(setup.shape().model())
                        .withPool(setup.poolBlocks(), ExperimentSetup.BLOCK_TOKENS)
                        .withSpeedup(setup.speedup())
                        .withSeed(i + 1L)));
            }
            try (Gateway gateway = Gateway.start(config(run, engines))) {
                awaitReady(url(gateway.port(), "/readiness"));
                return measure(run, gateway, engines);
            }
        } finally {
            engines.forEach(SimulatedEngine::close);
        }
    }

    private Outcome measure(PolicyRun run, Gateway gateway, List<SimulatedEngine> engines)
            throws IOException, InterruptedException {
        TenantWorkload workload = new TenantWorkload(setup.shape(), setup.seed());
        Arrivals arrivals = Arrivals.poisson(setup.perSecond() * setup.speedup(), new SplitMixRandom(setup.seed() + 1));
        URI target = url(gateway.port(), "/v1/chat/completions");
        URI metrics = url(gateway.metricsPort(), "/metrics");
        try (LoadGenerator generator = new LoadGenerator(ticker)) {
            generator.run(plan(target, arrivals, setup.warmUpSeconds()), workload::next);
            EngineCounts before = counts(engines);
            Map<String, Long> reasonsBefore = reasons(metrics);
            LoadResult load = generator.run(plan(target, arrivals, setup.seconds()), workload::next);
            EngineCounts counted = counts(engines).minus(before);
            Map<String, Long> reasons = reasons(metrics);
            reasonsBefore.forEach((reason, count) -> reasons.merge(reason, -count, Long::sum));
            reasons.values().removeIf(count -> count == 0);
            return new Outcome(run, setup.expectedHit(run.spread()), load, counted, reasons);
        }
    }

    private Map<String, Long> reasons(URI metrics) throws IOException, InterruptedException {
        GatewayMeter meter = GatewayMeter.CACHE_AWARE_BRANCH;
        return MetricsPage.of(client, metrics)
                .byLabel(meter.metricName(), meter.labels().get(0));
    }

    private static URI url(int port, String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private static LoadPlan plan(URI target, Arrivals arrivals, int seconds) {
        LoadPlan.Pace pace = new LoadPlan.OpenLoop(arrivals, MAX_IN_FLIGHT);
        return new LoadPlan(target, pace, MAX_REQUESTS, Duration.ofSeconds(seconds), REQUEST_TIMEOUT);
    }

    private EngineCounts counts(List<SimulatedEngine> engines) throws IOException, InterruptedException {
        EngineCounts sum = new EngineCounts(0, 0);
        for (SimulatedEngine engine : engines) {
            sum = sum.plus(EngineCounts.of(MetricsPage.of(client, engine.url().resolve("/metrics"))));
        }
        return sum;
    }

    private static GatewayConfig config(PolicyRun run, List<SimulatedEngine> engines) {
        List<String> arguments = new ArrayList<>(List.of("--host", "127.0.0.1", "--port", "0"));
        arguments.addAll(List.of("--prometheus-host", "127.0.0.1", "--prometheus-port", "0"));
        arguments.addAll(List.of("--drain-settle-secs", "0", "--shutdown-grace-period-secs", "2"));
        arguments.addAll(List.of("--disable-access-log"));
        arguments.addAll(run.arguments());
        arguments.add("--worker-urls");
        engines.forEach(engine -> arguments.add(engine.url().toString()));
        CommandLineOutcome outcome = new ConfigLoader(PolicySettings.names(), "kvgate bench").load(arguments);
        if (outcome instanceof CommandLineOutcome.Start start) {
            return start.config();
        }
        String why = outcome instanceof CommandLineOutcome.Refuse refuse
                ? String.join("; ", refuse.problems())
                : outcome.toString();
        throw new IllegalArgumentException(run.label() + ": " + why);
    }

    /** Waits until every worker is ready, so that no run begins with a smaller fleet. */
    private void awaitReady(URI readiness) throws IOException, InterruptedException {
        long deadline = ticker.nanos() + START_TIMEOUT.toNanos();
        while (readyWorkers(readiness) < setup.workers()) {
            if (deadline - ticker.nanos() < 0) {
                throw new IOException("workers not ready within " + START_TIMEOUT.toSeconds() + " s");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private int readyWorkers(URI readiness) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(readiness).timeout(START_TIMEOUT).build();
        JsonNode answer = JSON.readTree(
                client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        return answer.path("healthy_workers").asInt();
    }
}
