package io.kvgate.bench.jmh;

import io.kvgate.bench.workload.WordText;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.InferenceRequest;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RoutingKeys;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.policies.Candidates;
import io.kvgate.policies.LoadBalancingPolicy;
import io.kvgate.policies.PolicyServices;
import io.kvgate.policies.PolicySettings;
import io.kvgate.policies.SelectionContext;
import io.kvgate.server.config.MetricsConfig;
import io.kvgate.server.observability.PrometheusMetricsRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One choice of each policy, from candidates that are there already: prompts of 8,000 characters of 64 tenants, and 1,000 routing
 * keys. The same requests come round, so trees and maps have what they need and stop growing, as in a gateway in its stride.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"})
public class PolicySelectBenchmark {
    private static final int REQUESTS = 1_024;
    private static final int PROMPTS = 256;
    private static final int TENANTS = 64;
    private static final int PREFIX_TOKENS = 1_750;
    private static final int TURN_TOKENS = 250;
    private static final long SEED = 7;
    private static final long MAINTAIN_MILLIS = 200;

    /** The policy, its pool and what the gateway does beside: counters that count, and the clock's work. */
    @State(Scope.Benchmark)
    public static class Setting {
        @Param({
            "bucket",
            "cache_aware",
            "consistent_hashing",
            "least_load",
            "manual",
            "power_of_two",
            "prefix_hash",
            "random",
            "round_robin"
        })
        String policy = "";

        @Param({"8", "64", "512"})
        int workers;

        private final Ticker ticker = Ticker.system();
        private final PrometheusMetricsRegistry metrics = new PrometheusMetricsRegistry(MetricsConfig.DEFAULT);
        private @Nullable ScheduledExecutorService beside;
        private @Nullable FleetState fleet;
        private @Nullable LoadBalancingPolicy made;

        @Setup(Level.Trial)
        public void start() {
            FleetState ready = new FleetState(workers, ticker, metrics);
            fleet = ready;
            LoadBalancingPolicy chooser = PolicySettings.DEFAULT
                    .named(policy)
                    .create(new PolicyServices(new SplitMixRandom(SEED), ticker, metrics));
            made = chooser;
            ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
            executor.scheduleWithFixedDelay(
                    () -> {
                        ready.reportLoads();
                        chooser.maintain();
                    },
                    MAINTAIN_MILLIS,
                    MAINTAIN_MILLIS,
                    TimeUnit.MILLISECONDS);
            beside = executor;
        }

        @TearDown(Level.Trial)
        public void stop() {
            if (beside != null) {
                beside.shutdownNow();
            }
            if (fleet != null) {
                fleet.close();
            }
            metrics.close();
        }

        private LoadBalancingPolicy policy() {
            if (made == null) {
                throw new IllegalStateException("not set up");
            }
            return made;
        }

        private Candidates candidates() {
            if (fleet == null) {
                throw new IllegalStateException("not set up");
            }
            return new Candidates().fill(fleet.pool(), Set.of());
        }
    }

    /** What an event loop has: its own candidates, and requests that come one after another. */
    @State(Scope.Thread)
    public static class Loop {
        private final SelectionContext[] requests = new SelectionContext[REQUESTS];
        private Candidates candidates = new Candidates();
        private int next;

        @Setup(Level.Trial)
        public void start(Setting setting) {
            candidates = setting.candidates();
            List<Prompt> prompts = prompts();
            for (int i = 0; i < REQUESTS; i++) {
                RoutingKeys keys = RoutingKeys.of(null, "session-" + i % 1_000, null);
                requests[i] =
                        new SelectionContext(new InferenceRequest(ApiEndpoint.CHAT_COMPLETIONS, "llama", true, keys));
                requests[i].prompt(prompts.get(i % PROMPTS));
            }
        }

        private static List<Prompt> prompts() {
            WordText text = new WordText(new SplitMixRandom(SEED));
            List<String> prefixes = new ArrayList<>();
            for (int i = 0; i < TENANTS; i++) {
                prefixes.add(text.tokens(PREFIX_TOKENS));
            }
            List<Prompt> prompts = new ArrayList<>();
            for (int i = 0; i < PROMPTS; i++) {
                prompts.add(Prompt.ofText(prefixes.get(i % TENANTS) + text.tokens(TURN_TOKENS)));
            }
            return prompts;
        }

        private SelectionContext request() {
            next = (next + 1) % REQUESTS;
            return requests[next];
        }
    }

    @Benchmark
    @Threads(1)
    public @Nullable Worker oneThread(Setting setting, Loop loop, ThreadCost cost) {
        cost.called();
        return setting.policy().select(loop.candidates, loop.request());
    }

    @Benchmark
    @Threads(2)
    public @Nullable Worker twoThreads(Setting setting, Loop loop, ThreadCost cost) {
        cost.called();
        return setting.policy().select(loop.candidates, loop.request());
    }
}
