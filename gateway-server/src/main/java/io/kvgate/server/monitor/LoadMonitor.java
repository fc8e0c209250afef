package io.kvgate.server.monitor;

import io.kvgate.core.agent.Agent;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerEvent;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.monitor.LoadReader.Reading;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the load of ready workers, each on a schedule of its own, and tells it to the {@link Worker}. A failed poll makes a load
 * unknown.
 *
 * <p>Threading: an {@link Agent}: the schedules belong to its thread. Answers come on the threads of {@link WorkerHttp}.
 */
public final class LoadMonitor implements Agent {
    private static final Logger LOG = LoggerFactory.getLogger(LoadMonitor.class);
    private static final long NOTHING_TO_DO_NANOS = Duration.ofSeconds(60).toNanos();
    /** When a poll is due while the one before is still unanswered. */
    private static final long LATE_NANOS = Duration.ofMillis(250).toNanos();

    /** One worker's schedule. */
    private static final class Schedule {
        long nextNanos;
        volatile boolean asking;

        Schedule(long nextNanos) {
            this.nextNanos = nextNanos;
        }
    }

    private final WorkerRegistry registry;
    private final LoadReader reader;
    private final MetricsRegistry metrics;
    private final Duration interval;
    private final BooleanSupplier wanted;
    private final Map<Worker, Schedule> schedules = new HashMap<>();
    private volatile Runnable wakeUp = () -> {};

    /**
     * Polls each ready worker once per interval while that is wanted. The answer may change to yes when a worker is added, since its
     * label may bring in a policy that asks for engine load.
     */
    public LoadMonitor(
            WorkerRegistry registry,
            LoadReader reader,
            MetricsRegistry metrics,
            Duration interval,
            BooleanSupplier wanted) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("interval: " + interval + " (expected: > 0)");
        }
        this.registry = registry;
        this.reader = reader;
        this.metrics = metrics;
        this.interval = interval;
        this.wanted = wanted;
        registry.subscribe(event -> {
            if (event instanceof WorkerEvent.StatusChanged) {
                wakeUp.run();
            }
        });
    }

    @Override
    public String roleName() {
        return "load";
    }

    @Override
    public void onStart(Runnable wakeUp) {
        this.wakeUp = wakeUp;
    }

    /** Begins the polls that are due. */
    @Override
    public long doWork(long nowNanos) {
        if (!wanted.getAsBoolean()) {
            return NOTHING_TO_DO_NANOS;
        }
        long pauseNanos = NOTHING_TO_DO_NANOS;
        Set<Worker> ready = new HashSet<>();
        for (Worker worker : registry.snapshot().workers()) {
            if (worker.status() == WorkerStatus.READY) {
                ready.add(worker);
                Schedule schedule = schedules.computeIfAbsent(worker, key -> new Schedule(nowNanos));
                pauseNanos = Math.min(pauseNanos, step(worker, schedule, nowNanos));
            }
        }
        schedules.keySet().removeIf(worker -> {
            boolean gone = !ready.contains(worker);
            if (gone) {
                worker.reportLoad(null);
            }
            return gone;
        });
        return pauseNanos;
    }

    private long step(Worker worker, Schedule schedule, long nowNanos) {
        if (nowNanos - schedule.nextNanos < 0) {
            return schedule.nextNanos - nowNanos;
        }
        if (schedule.asking) {
            return LATE_NANOS;
        }
        schedule.nextNanos = nowNanos + interval.toNanos();
        begin(worker, schedule);
        return interval.toNanos();
    }

    private void begin(Worker worker, Schedule schedule) {
        schedule.asking = true;
        var unused = reader.read(worker).whenComplete((reading, defect) -> {
            schedule.asking = false;
            if (reading == null) {
                LOG.error("worker {}: reading its load failed", worker.id(), defect);
                worker.reportLoad(null);
                return;
            }
            worker.reportLoad(worker.status() == WorkerStatus.READY ? reading.load() : null);
            count(reading);
            if (reading.load() == null && reading.source() != LoadSource.NONE) {
                LOG.debug("worker {}: load unknown: {}", worker.id(), reading.detail());
            }
        });
    }

    private void count(Reading reading) {
        LoadSource source = reading.source();
        String sourceLabel = source == null ? "undetected" : source.label();
        String result = reading.load() != null ? "ok" : source == LoadSource.NONE ? "unsupported" : "failed";
        metrics.counter(GatewayMeter.WORKER_LOAD_POLLS, sourceLabel, result).increment();
    }
}
