package io.kvgate.server.monitor;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.core.worker.WorkerStatus;
import io.kvgate.server.monitor.LoadReader.Reading;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the load of ready workers, each on a schedule of its own, and tells it to the {@link Worker}. A failed poll makes a load
 * unknown.
 *
 * <p>Threading: {@link #doWork} belongs to one thread: its own after {@link #start}, the test's otherwise. Answers come on the
 * threads of {@link WorkerHttp}.
 */
public final class LoadMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoadMonitor.class);
    private static final long MAX_STEP_MILLIS = 250;

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
    private final Ticker ticker;
    private final Duration interval;
    private final boolean enabled;
    private final Map<Worker, Schedule> schedules = new HashMap<>();
    private @Nullable ScheduledExecutorService executor;

    /** Polls each ready worker once per interval; {@code enabled} false: never, as no policy asks for engine load. */
    public LoadMonitor(
            WorkerRegistry registry,
            LoadReader reader,
            MetricsRegistry metrics,
            Ticker ticker,
            Duration interval,
            boolean enabled) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("interval: " + interval + " (expected: positive)");
        }
        this.registry = registry;
        this.reader = reader;
        this.metrics = metrics;
        this.ticker = ticker;
        this.interval = interval;
        this.enabled = enabled;
    }

    /** Starts the thread, unless the monitor is not enabled. */
    public synchronized void start() {
        if (!enabled || executor != null) {
            return;
        }
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "kvgate-load-monitor");
            thread.setDaemon(true);
            return thread;
        });
        long stepMillis = Math.max(1, Math.min(MAX_STEP_MILLIS, interval.toMillis()));
        var unused = started.scheduleWithFixedDelay(this::step, 0, stepMillis, TimeUnit.MILLISECONDS);
        executor = started;
    }

    private void step() {
        try {
            int polls = doWork();
            LOG.trace("polls begun: {}", polls);
        } catch (RuntimeException defect) {
            LOG.error("load monitor: a step failed, the next one is tried", defect);
        }
    }

    /** Begins the polls that are due and returns their number. */
    int doWork() {
        if (!enabled) {
            return 0;
        }
        long now = ticker.nanos();
        int begun = 0;
        Set<Worker> ready = new HashSet<>();
        for (Worker worker : registry.snapshot().workers()) {
            if (worker.status() != WorkerStatus.READY) {
                continue;
            }
            ready.add(worker);
            Schedule schedule = schedules.computeIfAbsent(worker, key -> new Schedule(now));
            if (!schedule.asking && now - schedule.nextNanos >= 0) {
                schedule.nextNanos = now + interval.toNanos();
                begin(worker, schedule);
                begun++;
            }
        }
        schedules.keySet().removeIf(worker -> {
            boolean gone = !ready.contains(worker);
            if (gone) {
                worker.reportLoad(null);
            }
            return gone;
        });
        return begun;
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

    /** Ends the thread. May be called again. */
    @Override
    public synchronized void close() {
        if (executor != null) {
            executor.shutdownNow();
            executor = null;
        }
    }
}
