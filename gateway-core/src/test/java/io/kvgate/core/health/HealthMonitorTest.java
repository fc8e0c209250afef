package io.kvgate.core.health;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.worker.LoadGuard;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which probe results lead to which status. */
final class HealthMonitorTest extends HealthMonitorScenario {
    @Test
    void pending_failures_areProbedEachSecondThenSlower() {
        Worker worker = add();
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 8);
        assertThat(probe.pauses(worker).stream().map(Duration::toMillis))
                .containsExactly(1_000L, 2_000L, 3_000L, 4_000L, 5_000L, 5_000L, 5_000L);
        assertThat(worker.status()).isEqualTo(WorkerStatus.PENDING);
        assertThat(worker.statusReason()).isEqualTo("connection refused");
    }

    @Test
    void pending_comesUpLate_isReadyAtTheNextProbe() {
        Worker worker = add();
        probe.answers.put(worker, REFUSED);
        run(Duration.ofMinutes(5));
        probe.answers.put(worker, ProbeResult.ok());
        run(Duration.ofSeconds(5));
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void pending_startupBudgetOver_isFailedAndStillProbed() {
        Worker worker = add();
        probe.answers.put(worker, REFUSED);
        run(Duration.ofSeconds(599));
        assertThat(worker.status()).isEqualTo(WorkerStatus.PENDING);
        run(Duration.ofSeconds(6));
        assertThat(worker.status()).isEqualTo(WorkerStatus.FAILED);
        assertThat(worker.statusReason()).contains("600 s").contains("connection refused");
        int before = probe.count(worker);
        run(Duration.ofSeconds(610));
        assertThat(probe.count(worker) - before).isBetween(9, 12);
    }

    @Test
    void failed_successesInARow_makeReady() {
        Worker worker = add();
        probe.answers.put(worker, REFUSED);
        run(Duration.ofSeconds(610));
        assertThat(worker.status()).isEqualTo(WorkerStatus.FAILED);
        probe.answers.put(worker, ProbeResult.ok());
        int before = probe.count(worker);
        runUntilProbes(worker, before + 1);
        assertThat(worker.status()).isEqualTo(WorkerStatus.FAILED);
        runUntilProbes(worker, before + 2);
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void ready_oneFailureLess_staysReady() {
        Worker worker = addReady();
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 3);
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        probe.answers.put(worker, ProbeResult.ok());
        runUntilProbes(worker, 4);
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 6);
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void ready_failuresInARow_makeNotReady() {
        Worker worker = addReady();
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 4);
        assertThat(worker.status()).isEqualTo(WorkerStatus.NOT_READY);
        assertThat(worker.statusReason()).isEqualTo("connection refused");
        assertThat(metrics.value(GatewayMeter.WORKER_HEALTH_CHECKS, "regular", "failure"))
                .isEqualTo(3.0);
    }

    @Test
    void notReady_back_isReadyQuickly() {
        Worker worker = addReady();
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 4);
        probe.answers.put(worker, ProbeResult.ok());
        run(Duration.ofSeconds(5));
        assertThat(worker.status()).isEqualTo(WorkerStatus.NOT_READY);
        run(Duration.ofSeconds(5));
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void notReady_successThenFailure_beginsAgain() {
        Worker worker = addReady();
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 4);
        probe.answers.put(worker, ProbeResult.ok());
        runUntilProbes(worker, 5);
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 6);
        probe.answers.put(worker, ProbeResult.ok());
        runUntilProbes(worker, 7);
        assertThat(worker.status()).isEqualTo(WorkerStatus.NOT_READY);
        runUntilProbes(worker, 8);
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void ready_goodAnswerSinceTheProbeBegan_overrulesItsFailure() {
        // Field report 111: a busy engine answers its health endpoint late, and requests well.
        Worker worker = addReady();
        probe.answers.remove(worker);
        for (int i = 2; i < 10; i++) {
            runUntilProbes(worker, i);
            answerWell(worker);
            run(TIMEOUT);
        }
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void ready_goodAnswerBetweenFailures_breaksTheRow() {
        Worker worker = addReady();
        probe.answers.put(worker, REFUSED);
        runUntilProbes(worker, 3);
        ticker.advanceMillis(10);
        answerWell(worker);
        runUntilProbes(worker, 5);
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
        runUntilProbes(worker, 6);
        assertThat(worker.status()).isEqualTo(WorkerStatus.NOT_READY);
    }

    @Test
    void pending_probeThatAlsoLearnsModels_mayTakeLonger() {
        Worker worker = add();
        monitor.doWork(ticker.nanos());
        run(TIMEOUT.plusSeconds(9));
        probe.unanswered.get(0).accept(ProbeResult.ok());
        monitor.doWork(ticker.nanos());
        assertThat(worker.status()).isEqualTo(WorkerStatus.READY);
    }

    @Test
    void probeThatThrows_isAFailure() {
        HealthMonitor broken = new HealthMonitor(
                registry,
                (worker, onResult) -> {
                    throw new IllegalStateException("expected by the test");
                },
                Duration.ofMinutes(10),
                new SplitMixRandom(42),
                metrics);
        Worker worker = add();
        broken.doWork(ticker.nanos());
        assertThat(worker.statusReason()).isEqualTo("probe failed: IllegalStateException");
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void unauthorizedProbe_isNamedInTheReason(int status) {
        Worker worker = add();
        probe.answers.put(worker, ProbeResult.ofStatus(status));
        monitor.doWork(ticker.nanos());
        assertThat(worker.status()).isEqualTo(WorkerStatus.PENDING);
        assertThat(worker.statusReason()).isEqualTo(status + " from worker: check its api key");
    }

    @Test
    void probeResult_ofStatus_only2xxIsHealthy() {
        assertThat(ProbeResult.ofStatus(200).healthy()).isTrue();
        assertThat(ProbeResult.ofStatus(204).healthy()).isTrue();
        assertThat(ProbeResult.ofStatus(199).healthy()).isFalse();
        assertThat(ProbeResult.ofStatus(302).healthy()).isFalse();
        assertThat(ProbeResult.ofStatus(503)).isEqualTo(ProbeResult.failed("status 503 from its health endpoint"));
    }

    @Test
    void draining_probeThatIsOut_changesNothing() {
        Worker worker = addReady();
        probe.answers.remove(worker);
        runUntilProbes(worker, 2);
        LoadGuard guard = requireNonNull(worker.tryAcquire());
        registry.drain(worker, "test");
        probe.unanswered.get(0).accept(REFUSED);
        monitor.doWork(ticker.nanos());
        assertThat(worker.status()).isEqualTo(WorkerStatus.DRAINING);
        guard.close();
    }
}
