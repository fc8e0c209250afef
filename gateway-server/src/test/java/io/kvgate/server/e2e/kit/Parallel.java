package io.kvgate.server.e2e.kit;

import io.kvgate.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls that are made at the same time, each on a thread of its own. */
public final class Parallel {
    private static final long STACK_BYTES = 256 << 10;

    /** What a call gave, and how long it took. */
    public record Timed<T>(T value, Duration took) {}

    /** One of the calls; gets its number from 0. */
    @FunctionalInterface
    public interface Call<T> {
        T run(int number) throws Exception;
    }

    private Parallel() {}

    /** Starts them all, and waits for all of them. The first failure is thrown. */
    public static <T> List<Timed<T>> run(int count, Call<T> call) throws Exception {
        List<Future<Timed<T>>> futures = start(count, call);
        List<Timed<T>> results = new ArrayList<>();
        for (Future<Timed<T>> future : futures) {
            try {
                results.add(future.get());
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Exception cause) {
                    throw cause;
                }
                throw e;
            }
        }
        return results;
    }

    /** Starts them all at once. */
    public static <T> List<Future<Timed<T>>> start(int count, Call<T> call) {
        return start(count, Duration.ZERO, call);
    }

    /** Starts them evenly over this time. */
    public static <T> List<Future<Timed<T>>> start(int count, Duration over, Call<T> call) {
        AtomicInteger number = new AtomicInteger();
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(count, task -> {
            Thread thread = new Thread(null, task, "test-parallel-" + number.incrementAndGet(), STACK_BYTES);
            thread.setDaemon(true);
            return thread;
        });
        List<Future<Timed<T>>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int mine = i;
            Callable<Timed<T>> timed = () -> {
                long began = Ticker.system().nanos();
                T value = call.run(mine);
                return new Timed<>(value, Duration.ofNanos(Ticker.system().nanos() - began));
            };
            futures.add(threads.schedule(timed, over.toNanos() * i / count, TimeUnit.NANOSECONDS));
        }
        threads.shutdown();
        return futures;
    }
}
