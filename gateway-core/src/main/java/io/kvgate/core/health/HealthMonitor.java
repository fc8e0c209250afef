package io.kvgate.core.health;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.agent.Agent;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerId;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes every worker by its own settings and moves it between PENDING, READY, NOT_READY and FAILED.
 *
 * <p>Threading: an {@link Agent}: everything below runs on its thread. Registry events and probe results come in from any thread
 * through two queues. The workers' schedules are independent, so a slow probe delays nobody.
 */
public final class HealthMonitor implements Agent {
    /*
     * Status by probe
     *
     *   PENDING    success                                   -> READY (one is enough: it has nothing to prove)
     *              failure once the start-up budget is over  -> FAILED
     *   READY      failureThreshold failures in a row        -> NOT_READY
     *   NOT_READY  successThreshold successes in a row       -> READY
     *   FAILED     successThreshold successes in a row       -> READY
     *
     * A request that ended well is as good a proof of life as a probe, so for a READY worker it breaks a row of failures: one that
     * ended since the failed probe began overrules that failure too. A busy engine that answers its health endpoint late is
     * thus not taken for dead.
     *
     * Pauses between probes
     *
     *   PENDING    1 s, one second longer each time, up to 5 s
     *   READY      the interval, 10 % more or less; the first one anything from a tenth of it to all of it, so that workers
     *              registered together are not probed together for ever
     *   NOT_READY  5 s, or the interval if that is shorter: it should come back soon
     *   FAILED     the interval
     *
     * A probe may take its time-out; while the worker is not READY some seconds more, because the probe that finds it up may
     * also ask it what it serves before it says so. This limit stands behind the probe's own.
     *
     * DRAINING workers and those with health checks disabled are not probed.
     */
    private static final Logger log = LoggerFactory.getLogger(HealthMonitor.class);
    private static final long PENDING_STEP_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long SHORT_PAUSE_NANOS = Duration.ofSeconds(5).toNanos();
    private static final Duration EXTRA_BEFORE_READY = Duration.ofSeconds(10);
    private static final long NOTHING_TO_DO_NANOS = Duration.ofSeconds(60).toNanos();

    private record Answer(ProbeSchedule schedule, long probe, ProbeResult result) {}

    private final WorkerRegistry registry;
    private final HealthProbe probe;
    private final long startupNanos;
    private final Duration startupTimeout;
    private final RandomGenerator random;
    private final MetricsRegistry metrics;

    private final Queue<WorkerEvent> events = new ConcurrentLinkedQueue<>();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Map<WorkerId, ProbeSchedule> schedules = new LinkedHashMap<>();
    private volatile Runnable wakeUp = () -> {};

    /**
     * Follows the registry from now on. The steps' time must come from the registry's ticker.
     *
     * @param startupTimeout how long a worker may stay PENDING before it counts as FAILED; positive
     * @param random spreads the probes
     */
    public HealthMonitor(
            WorkerRegistry registry,
            HealthProbe probe,
            Duration startupTimeout,
            RandomGenerator random,
            MetricsRegistry metrics) {
        this.registry = requireNonNull(registry, "registry");
        this.probe = requireNonNull(probe, "probe");
        this.random = requireNonNull(random, "random");
        this.metrics = requireNonNull(metrics, "metrics");
        if (startupTimeout.isNegative() || startupTimeout.isZero()) {
            throw new IllegalArgumentException("startupTimeout: " + startupTimeout + " (expected: > 0)");
        }
        this.startupTimeout = startupTimeout;
        startupNanos = Ticker.saturatedNanos(startupTimeout);
        registry.subscribe(event -> {
            events.add(event);
            wakeUp.run();
        });
    }

    @Override
    public String roleName() {
        return "health";
    }

    @Override
    public void onStart(Runnable wakeUp) {
        this.wakeUp = wakeUp;
    }

    @Override
    public long doWork(long nowNanos) {
        takeEvents(nowNanos);
        takeAnswers(nowNanos);
        for (ProbeSchedule schedule : schedules.values()) {
            step(schedule, nowNanos);
        }
        // Probes may answer at once.
        takeAnswers(nowNanos);
        long pauseNanos = NOTHING_TO_DO_NANOS;
        for (ProbeSchedule schedule : schedules.values()) {
            if (mayProbe(schedule.worker)) {
                pauseNanos = Math.min(pauseNanos, schedule.nanosUntilDue(nowNanos));
            }
        }
        return pauseNanos;
    }

    private void takeEvents(long nowNanos) {
        for (WorkerEvent event = events.poll(); event != null; event = events.poll()) {
            Worker worker = event.worker();
            if (event instanceof WorkerEvent.Added) {
                schedules.put(worker.id(), new ProbeSchedule(worker, nowNanos));
            } else if (event instanceof WorkerEvent.Removed) {
                schedules.remove(worker.id());
            } else if (event instanceof WorkerEvent.Updated) {
                ProbeSchedule schedule = schedules.get(worker.id());
                if (schedule != null) {
                    // A shorter interval must not wait for the end of a long pause, nor a new key for the next probe.
                    boolean ready = worker.status() == WorkerStatus.READY;
                    schedule.atMost(ready ? pauseNanos(schedule) : 0, nowNanos);
                }
            }
        }
    }

    private void takeAnswers(long nowNanos) {
        for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
            ProbeSchedule schedule = answer.schedule;
            if (schedule.answers(answer.probe) && mayProbe(schedule.worker)) {
                conclude(schedule, answer.result, nowNanos);
            }
        }
    }

    private static boolean mayProbe(Worker worker) {
        return worker.status() != WorkerStatus.DRAINING
                && !worker.spec().health().disabled();
    }

    private void step(ProbeSchedule schedule, long nowNanos) {
        if (!mayProbe(schedule.worker)) {
            schedule.abandon();
            return;
        }
        if (schedule.timedOut(nowNanos)) {
            long waitedMillis = Duration.ofNanos(schedule.waitedNanos(nowNanos)).toMillis();
            conclude(schedule, ProbeResult.failed("no answer within " + waitedMillis + " ms"), nowNanos);
        } else if (schedule.isDue(nowNanos)) {
            start(schedule, nowNanos);
        }
    }

    private void start(ProbeSchedule schedule, long nowNanos) {
        Duration timeout = schedule.worker.spec().health().timeout();
        Duration limit = schedule.worker.status() == WorkerStatus.READY ? timeout : timeout.plus(EXTRA_BEFORE_READY);
        long number = schedule.begin(nowNanos, Ticker.saturatedNanos(limit));
        try {
            probe.probe(schedule.worker, result -> {
                answers.add(new Answer(schedule, number, result));
                wakeUp.run();
            });
        } catch (RuntimeException e) {
            log.debug("Worker {}: its probe threw", schedule.worker.id(), e);
            answers.add(new Answer(
                    schedule,
                    number,
                    ProbeResult.failed("probe failed: " + e.getClass().getSimpleName())));
        }
    }

    private void conclude(ProbeSchedule schedule, ProbeResult result, long nowNanos) {
        Worker worker = schedule.worker;
        schedule.end();
        metrics.counter(
                        GatewayMeter.WORKER_HEALTH_CHECKS,
                        worker.spec().role().label(),
                        result.healthy() ? "success" : "failure")
                .increment();
        if (result.healthy()) {
            schedule.succeeded();
            onSuccess(schedule);
        } else {
            schedule.failed();
            onFailure(schedule, result.detail(), nowNanos);
        }
        schedule.next(nowNanos, pauseNanos(schedule));
    }

    private void onSuccess(ProbeSchedule schedule) {
        Worker worker = schedule.worker;
        WorkerStatus status = worker.status();
        boolean enough = status == WorkerStatus.PENDING
                || schedule.successesInARow() >= worker.spec().health().successThreshold();
        if (status != WorkerStatus.READY && enough) {
            registry.setStatus(worker, WorkerStatus.READY, "");
            schedule.joined();
        }
    }

    private void onFailure(ProbeSchedule schedule, String detail, long nowNanos) {
        Worker worker = schedule.worker;
        log.debug("Worker {}: probe failed, {} in a row ({})", worker.id(), schedule.failuresInARow(), detail);
        WorkerStatus status = worker.status();
        switch (status) {
            case PENDING -> {
                if (schedule.ageNanos(nowNanos) >= startupNanos) {
                    registry.setStatus(
                            worker,
                            WorkerStatus.FAILED,
                            "not healthy within " + startupTimeout.toSeconds() + " s of its registration: " + detail);
                } else {
                    registry.setStatus(worker, status, detail);
                }
            }
            case READY -> {
                if (schedule.failuresInARow() >= worker.spec().health().failureThreshold()) {
                    registry.setStatus(worker, WorkerStatus.NOT_READY, detail);
                }
            }
            case NOT_READY, FAILED -> registry.setStatus(worker, status, detail);
            case DRAINING -> {}
        }
    }

    private long pauseNanos(ProbeSchedule schedule) {
        long intervalNanos =
                Ticker.saturatedNanos(schedule.worker.spec().health().interval());
        return switch (schedule.worker.status()) {
            case PENDING -> Math.min(SHORT_PAUSE_NANOS, PENDING_STEP_NANOS * Math.max(1, schedule.failuresInARow()));
            case READY -> jittered(intervalNanos, schedule.isNewcomer() ? 0.1 : 0.9, schedule.isNewcomer() ? 1.0 : 1.1);
            case NOT_READY -> jittered(Math.min(intervalNanos, SHORT_PAUSE_NANOS), 0.9, 1.0);
            case FAILED -> jittered(intervalNanos, 0.9, 1.1);
            case DRAINING -> NOTHING_TO_DO_NANOS;
        };
    }

    private long jittered(long nanos, double from, double to) {
        return (long) (nanos * (from + (to - from) * random.nextDouble()));
    }
}
