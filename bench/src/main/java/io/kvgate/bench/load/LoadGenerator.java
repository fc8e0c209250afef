package io.kvgate.bench.load;

import io.kvgate.core.time.Ticker;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Sends requests as a {@link LoadPlan} says and measures the answers as a client sees them.
 *
 * <p>Threading: {@link #run} by one thread at a time; it returns when every request has ended or was given up.
 */
public final class LoadGenerator implements AutoCloseable {
    private static final int CLIENT_THREADS = 2;
    private static final String CONTENT_TYPE = "application/json";

    private final Ticker ticker;
    private final ExecutorService executor;
    private final HttpClient client;

    public LoadGenerator(Ticker ticker) {
        this.ticker = ticker;
        executor = Executors.newFixedThreadPool(CLIENT_THREADS, task -> {
            Thread thread = new Thread(task, "load-client");
            thread.setDaemon(true);
            return thread;
        });
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(executor)
                .build();
    }

    /**
     * Puts the load on.
     *
     * @param bodies gives the next request's body; called by this thread, before the request is due
     */
    public LoadResult run(LoadPlan plan, Supplier<byte[]> bodies) throws InterruptedException {
        Run run = new Run(plan, bodies);
        long start = ticker.nanos();
        if (plan.pace() instanceof LoadPlan.OpenLoop open) {
            run.open(open, start);
        } else {
            run.closed(start);
        }
        run.awaitRest();
        return run.tally.result(Duration.ofNanos(ticker.nanos() - start));
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    /** One load from its start to its last answer. */
    private final class Run {
        private final LoadPlan plan;
        private final Supplier<byte[]> bodies;
        private final LoadTally tally = new LoadTally();
        private final Semaphore permits;

        Run(LoadPlan plan, Supplier<byte[]> bodies) {
            this.plan = plan;
            this.bodies = bodies;
            permits = new Semaphore(plan.pace().maxInFlight());
        }

        void open(LoadPlan.OpenLoop pace, long start) throws InterruptedException {
            long due = start;
            for (int i = 0; i < plan.maxRequests(); i++) {
                due += pace.arrivals().nextGapNanos();
                if (due - start > plan.maxDuration().toNanos()) {
                    return;
                }
                byte[] body = bodies.get();
                waitUntil(due);
                if (permits.tryAcquire()) {
                    send(due, body);
                } else {
                    tally.bad(LoadResult.NOT_SENT);
                }
            }
        }

        void closed(long start) throws InterruptedException {
            for (int i = 0; i < plan.maxRequests(); i++) {
                byte[] body = bodies.get();
                long left = plan.maxDuration().toNanos() - (ticker.nanos() - start);
                if (left <= 0 || !permits.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                    return;
                }
                send(ticker.nanos(), body);
            }
        }

        void awaitRest() throws InterruptedException {
            // Every request ends within its own limit, so this wait does too; the second is for the timer's lateness.
            Duration limit = plan.requestTimeout().plusSeconds(1);
            if (!permits.tryAcquire(plan.pace().maxInFlight(), limit.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException("requests outlived their time-out");
            }
        }

        private void send(long due, byte[] body) {
            HttpRequest request = HttpRequest.newBuilder(plan.target())
                    .header("content-type", CONTENT_TYPE)
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                    .build();
            LoadCall call = new LoadCall(due, ticker);
            client.sendAsync(request, call)
                    .orTimeout(plan.requestTimeout().toNanos(), TimeUnit.NANOSECONDS)
                    .whenComplete((response, failure) -> {
                        if (failure == null) {
                            call.count(tally);
                        } else {
                            call.cancel();
                            tally.bad(outcome(failure));
                        }
                        permits.release();
                    });
        }

        private void waitUntil(long due) throws InterruptedException {
            for (long left = due - ticker.nanos(); left > 0; left = due - ticker.nanos()) {
                LockSupport.parkNanos(this, left);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }

        private static String outcome(Throwable failure) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            boolean late = cause instanceof TimeoutException || cause instanceof CancellationException;
            return late ? LoadResult.TIMEOUT : cause.getClass().getSimpleName();
        }
    }
}
