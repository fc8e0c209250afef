package io.kvgate.core.health;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When workers are probed, and what counts as the answer. */
final class HealthMonitorScheduleTest extends HealthMonitorScenario {
    @Test
    void pending_firstProbe_isAtOnceAndOneSuccessMakesReady() {
        Worker worker = add();
        probe.answers.put(worker, ProbeResult.ok());
        monitor.doWork(ticker.nanos());
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        assertThat(worker.statusReason()).isEmpty();
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH_CHECKS, "regular", "success"))
                .isEqualTo(1.0);
    }

    @Test
    void slowProbe_delaysNobody() {
        Worker slow = add(8001, SETTINGS);
        Worker quick = add(8002, SETTINGS);
        probe.answers.put(quick, ProbeResult.ok());
        monitor.doWork(ticker.nanos());
        assertThat(quick.status()).isEqualTo(WorkerStatus.READY);
        assertThat(slow.status()).isEqualTo(WorkerStatus.PENDING);
        probe.answers.put(slow, ProbeResult.ok());
        probe.unanswered.get(0).accept(ProbeResult.ok());
        monitor.doWork(ticker.nanos());
        assertThat(slow.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void probeWithoutAnswer_afterTheTimeout_isAFailure() {
        Worker worker = addReady();
        probe.answers.remove(worker);
        runUntilProbes(worker, 2);
        run(TIMEOUT.minusNanos(1));
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH_CHECKS, "regular", "failure"))
                .isNull();
        run(Duration.ofNanos(1));
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH_CHECKS, "regular", "failure"))
                .isEqualTo(1.0);
        runUntilProbes(worker, 4);
        run(TIMEOUT);
        assertThat(worker.status()).isEqualTo(WorkerStatus.NOT_READY);
        assertThat(worker.statusReason()).isEqualTo("no answer within 5000 ms");
    }

    @Test
    void lateAnswer_afterTheTimeout_isDropped() {
        Worker worker = add();
        monitor.doWork(ticker.nanos());
        run(Duration.ofSeconds(15));
        probe.unanswered.get(0).accept(ProbeResult.ok());
        monitor.doWork(ticker.nanos());
        assertThat(worker.status()).isEqualTo(WorkerStatus.PENDING);
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH_CHECKS, "regular", "success"))
                .isNull();
    }

    @Test
    void probeThatAnswersTwice_countsOnce() {
        Worker worker = add();
        monitor.doWork(ticker.nanos());
        Consumer<ProbeResult> onResult = probe.unanswered.get(0);
        onResult.accept(REFUSED);
        onResult.accept(ProbeResult.ok());
        monitor.doWork(ticker.nanos());
        assertThat(worker.status()).isEqualTo(WorkerStatus.PENDING);
    }

    @Test
    void draining_isNotProbed() {
        Worker worker = addReady();
        LoadGuard guard = requireNonNull(worker.tryAcquire());
        registry.drain(worker, "test");
        int before = probe.count(worker);
        run(Duration.ofMinutes(5));
        assertThat(probe.count(worker)).isEqualTo(before);
        guard.close();
        run(Duration.ofMinutes(5));
        assertThat(probe.count(worker)).isEqualTo(before);
    }

    @Test
    void disabled_isReadyAndNeverProbed() {
        Worker worker = add(8001, new HealthSettings("/health", INTERVAL, TIMEOUT, 3, 2, true));
        run(Duration.ofMinutes(5));
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        assertThat(probe.count(worker)).isZero();
    }

    @Test
    void update_disabled_makesReadyAndStopsProbing() {
        Worker worker = addReady();
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 4);
        registry.update(worker, spec -> spec.withHealth(new HealthSettings("/health", INTERVAL, TIMEOUT, 3, 2, true)));
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        int before = probe.count(worker);
        run(Duration.ofMinutes(5));
        assertThat(probe.count(worker)).isEqualTo(before);
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void update_shorterInterval_isInForceAtOnce() {
        Worker worker = addReady();
        run(Duration.ofSeconds(1));
        registry.update(
                worker,
                spec -> spec.withHealth(new HealthSettings("/health", Duration.ofSeconds(2), TIMEOUT, 1, 1, false)));
        int before = probe.count(worker);
        run(Duration.ofSeconds(21));
        assertThat(probe.count(worker) - before).isBetween(9, 12);
        probe.answers.put(worker, REFUSED);
        run(Duration.ofSeconds(3));
        assertThat(worker.status()).isEqualTo(WorkerStatus.NOT_READY);
    }

    @Test
    void update_ofAWorkerThatIsNotReady_isProbedAtOnce() {
        Worker worker = add();
        probe.answers.put(worker, ProbeResult.ofStatus(401));
        run(Duration.ofMinutes(11));
        assertThat(worker.status()).isEqualTo(WorkerStatus.FAILED);
        int before = probe.count(worker);
        registry.update(
                worker,
                spec -> new WorkerSpec(spec.url(), spec.role(), null, "key", 50, 1, Map.of(), null, spec.health()));
        monitor.doWork(ticker.nanos());
        assertThat(probe.count(worker)).isEqualTo(before + 1);
    }

    @Test
    void intervals_perWorker_areHonoured() {
        Worker often = add(8001, new HealthSettings("/health", Duration.ofSeconds(1), TIMEOUT, 3, 2, false));
        Worker seldom = add(8002, new HealthSettings("/health", Duration.ofSeconds(30), TIMEOUT, 3, 2, false));
        probe.answers.put(often, ProbeResult.ok());
        probe.answers.put(seldom, ProbeResult.ok());
        run(Duration.ofMinutes(2));
        assertThat(probe.count(often)).isBetween(105, 135);
        assertThat(probe.count(seldom)).isBetween(4, 7);
    }

    @Test
    void workersAddedTogether_areNotProbedInStep() {
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            Worker worker = add(8100 + i, SETTINGS);
            probe.answers.put(worker, ProbeResult.ok());
            workers.add(worker);
        }
        run(Duration.ofSeconds(130));
        Set<Long> secondProbes = new HashSet<>();
        for (Worker worker : workers) {
            Duration first = probe.pauses(worker).get(0);
            assertThat(first).isBetween(INTERVAL.dividedBy(10), INTERVAL);
            secondProbes.add(first.toSeconds());
        }
        assertThat(secondProbes).hasSizeGreaterThan(15);
    }

    @Test
    void removedAndAddedAgain_startsAfresh() {
        Worker old = add();
        monitor.doWork(ticker.nanos());
        registry.remove(old, "test");
        Worker fresh = add();
        probe.answers.put(fresh, REFUSED);
        monitor.doWork(ticker.nanos());
        probe.unanswered.get(0).accept(ProbeResult.ok());
        monitor.doWork(ticker.nanos());
        assertThat(fresh.status()).isEqualTo(WorkerStatus.PENDING);
        assertThat(probe.count(fresh)).isEqualTo(1);
        run(Duration.ofSeconds(30));
        assertThat(probe.count(old)).isEqualTo(1);
    }

    @Test
    void doWork_noWorkers_asksToBeLeftAlone() {
        assertThat(monitor.doWork(ticker.nanos()))
                .isGreaterThan(Duration.ofSeconds(10).toNanos());
    }

    @Test
    void startupTimeout_notPositive_isRefused() {
        assertThatThrownBy(() -> new HealthMonitor(registry, probe, Duration.ZERO, new SplitMixRandom(1), metrics))
                .hasMessage("startupTimeout: PT0S (expected: > 0)");
    }
}
