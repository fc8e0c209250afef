package io.kvgate.policies;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.InferenceRequest;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.request.RoutingKeys;
import io.kvgate.core.time.FakeTicker;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import java.net.URI;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A policy and its workers, written as in the tables: {@code "A B=5 C!U"} are three workers, the second with five requests in flight,
 * the third unhealthy; {@code !O} is one with an open breaker. A is {@code http://gpu-a:9000}. A choice is a letter, nothing is
 * {@code -}. For one thread.
 */
final class PolicyScene {
    static final String NOTHING = "-";
    static final long SEED = 20_261_129L;

    private final WorkerFleet fleet = WorkerFleet.ready(0);
    private final Map<String, Worker> workers = new LinkedHashMap<>();
    private final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
    private final Candidates candidates = new Candidates();
    private final LoadBalancingPolicy policy;
    private SelectionContext last = context(RoutingKeys.NONE);

    PolicyScene(PolicyConfig config, String workers) {
        policy = config.create(new PolicyServices(new SplitMixRandom(SEED), fleet.ticker(), metrics));
        Stream.of(workers.split(" ")).filter(text -> !text.isEmpty()).forEach(this::add);
    }

    /** One more, as {@code "D"} or {@code "D=3"}. */
    Worker add(String text) {
        String name = text.substring(0, 1);
        Worker worker = fleet.add(WorkerSpec.of(url(name)));
        workers.put(name, worker);
        if (text.startsWith("=", 1)) {
            occupy(name, Integer.parseInt(text.substring(2)));
        } else if (text.startsWith("!U", 1)) {
            unhealthy(name);
        } else if (text.startsWith("!O", 1)) {
            fleet.openBreaker(worker);
        }
        return worker;
    }

    static URI url(String name) {
        return URI.create("http://gpu-" + name.toLowerCase(Locale.ROOT) + ":9000");
    }

    static SelectionContext context(RoutingKeys keys) {
        return new SelectionContext(new InferenceRequest(ApiEndpoint.CHAT_COMPLETIONS, null, false, keys));
    }

    Worker worker(String name) {
        return requireNonNull(workers.get(name), name);
    }

    void remove(String name) {
        Worker worker = requireNonNull(workers.remove(name), name);
        fleet.remove(worker);
        policy.onWorkerRemoved(worker);
    }

    void unhealthy(String name) {
        fleet.notReady(worker(name));
    }

    void recover(String name) {
        fleet.registry().setStatus(worker(name), WorkerStatus.READY, "");
    }

    /** That many requests more in flight. */
    List<LoadGuard> occupy(String name, int requests) {
        return Stream.generate(() -> requireNonNull(worker(name).tryAcquire()))
                .limit(requests)
                .toList();
    }

    /** What it chooses for a routing key. */
    String key(String key) {
        return next(RoutingKeys.of(null, key, null), Prompt.NONE);
    }

    /** What it chooses for a prompt of that many characters. */
    String characters(int count) {
        return prompt(Prompt.ofText("x".repeat(count)));
    }

    String prompt(Prompt prompt) {
        return next(RoutingKeys.NONE, prompt);
    }

    /** What it chooses for a request without anything. */
    String next() {
        return next(RoutingKeys.NONE, Prompt.NONE);
    }

    String next(RoutingKeys keys, Prompt prompt) {
        last = context(keys);
        last.prompt(prompt);
        Worker chosen = policy.select(candidates.fill(fleet.pool(), Set.of()), last);
        last.prompt(Prompt.NONE);
        return chosen == null ? NOTHING : nameOf(chosen);
    }

    private String nameOf(Worker chosen) {
        for (Map.Entry<String, Worker> worker : workers.entrySet()) {
            if (worker.getValue() == chosen) {
                return worker.getKey();
            }
        }
        throw new AssertionError(chosen + " is none of " + workers);
    }

    /** How often each is chosen. */
    Map<String, Integer> shares(int requests) {
        Map<String, Integer> shares = new TreeMap<>();
        for (int i = 0; i < requests; i++) {
            shares.merge(next(), 1, Integer::sum);
        }
        return shares;
    }

    /** The reason of the last choice. */
    String reason() {
        return last.reason();
    }

    /** Counts of the branches taken so far. */
    Map<String, Long> branches(GatewayMeter meter, String... names) {
        Map<String, Long> counts = new HashMap<>();
        for (String name : names) {
            Double count = metrics.value(meter, name);
            if (count != null && count > 0) {
                counts.put(name, count.longValue());
            }
        }
        return counts;
    }

    LoadBalancingPolicy policy() {
        return policy;
    }

    FakeTicker ticker() {
        return fleet.ticker();
    }

    WorkerFleet fleet() {
        return fleet;
    }
}
