package io.kvgate.server.e2e.kit;

import io.kvgate.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
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

    /** Starts them all. */
    public static <T> List<Future<Timed<T>>> start(int count, Call<T> call) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService threads =
                new ThreadPoolExecutor(0, count, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(null, task, "test-parallel-" + number.incrementAndGet(), STACK_BYTES);
                    thread.setDaemon(true);
                    return thread;
                });
        List<Future<Timed<T>>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int mine = i;
            futures.add(threads.submit(() -> {
                long began = Ticker.system().nanos();
                T value = call.run(mine);
                return new Timed<>(value, Duration.ofNanos(Ticker.system().nanos() - began));
            }));
        }
        threads.shutdown();
        return futures;
    }
}
