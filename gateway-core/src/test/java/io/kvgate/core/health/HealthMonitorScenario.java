package io.kvgate.core.health;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.RecordingMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.resilience.CircuitBreakerConfig;
import io.kvgate.core.time.FakeTicker;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A monitor under a virtual clock, with a probe that answers as told; for the tests of its parts. */
abstract class HealthMonitorScenario {
    static final Duration INTERVAL = Duration.ofMinutes(1);
    static final Duration TIMEOUT = Duration.ofSeconds(5);
    static final HealthSettings SETTINGS = new HealthSettings("/health", INTERVAL, TIMEOUT, 3, 2, false);
    static final ProbeResult REFUSED = ProbeResult.failed("connection refused");

    /** Answers as told, or keeps the callback when told nothing. */
    static final class FakeProbe implements HealthProbe {
        final Map<Worker, ProbeResult> answers = new HashMap<>();
        private final Map<Worker, List<Long>> startedNanos = new HashMap<>();
        final List<Consumer<ProbeResult>> unanswered = new ArrayList<>();
        private final FakeTicker ticker;

        FakeProbe(FakeTicker ticker) {
            this.ticker = ticker;
        }

        @Override
        public void probe(Worker worker, Consumer<ProbeResult> onResult) {
            startedNanos.computeIfAbsent(worker, key -> new ArrayList<>()).add(ticker.nanos());
            ProbeResult answer = answers.get(worker);
            if (answer == null) {
                unanswered.add(onResult);
            } else {
                onResult.accept(answer);
            }
        }

        int count(Worker worker) {
            return startedNanos.getOrDefault(worker, List.of()).size();
        }

        /** Pauses between the starts of the worker's probes. */
        List<Duration> pauses(Worker worker) {
            List<Long> starts = startedNanos.getOrDefault(worker, List.of());
            List<Duration> pauses = new ArrayList<>();
            for (int i = 1; i < starts.size(); i++) {
                pauses.add(Duration.ofNanos(starts.get(i) - starts.get(i - 1)));
            }
            return pauses;
        }
    }

    final FakeTicker ticker = new FakeTicker();
    final RecordingMetricsRegistry metrics = new RecordingMetricsRegistry();
    final WorkerRegistry registry = new WorkerRegistry(CircuitBreakerConfig.DEFAULT, ticker, metrics);
    final FakeProbe probe = new FakeProbe(ticker);
    final HealthMonitor monitor =
            new HealthMonitor(registry, probe, Duration.ofMinutes(10), new SplitMixRandom(42), metrics);

    final Worker add(int port, HealthSettings settings) {
        return registry.add(
                WorkerSpec.of(URI.create("http://127.0.0.1:" + port)).withHealth(settings));
    }

    final Worker add() {
        return add(8000, SETTINGS);
    }

    final Worker addReady() {
        Worker worker = add();
        probe.answers.put(worker, ProbeResult.ok());
        monitor.doWork(ticker.nanos());
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        return worker;
    }

    /** Steps the monitor as its runner would: whenever it asked to be. */
    final void run(Duration time) {
        long left = time.toNanos();
        long pause = Math.max(0, monitor.doWork(ticker.nanos()));
        while (left > 0) {
            long step = Math.min(left, Math.max(1, pause));
            ticker.advanceNanos(step);
            left -= step;
            pause = monitor.doWork(ticker.nanos());
        }
    }

    /** Ends as soon as the worker's probe of that number has begun. */
    final void runUntilProbes(Worker worker, int count) {
        for (int i = 0; i < 10_000; i++) {
            long pause = monitor.doWork(ticker.nanos());
            if (probe.count(worker) >= count) {
                break;
            }
            ticker.advanceNanos(Math.max(1, pause));
        }
        assertThat(probe.count(worker)).isEqualTo(count);
    }

    static void answerWell(Worker worker) {
        LoadGuard guard = requireNonNull(worker.tryAcquire());
        guard.succeeded();
        guard.close();
    }
}
