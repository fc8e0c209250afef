package io.kvgate.core.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.resilience.ConcurrencyLimiter.Admission;
import io.kvgate.core.resilience.ConcurrencyLimiter.Arrival;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many threads take, wait, give up and give back; at the end nothing may be left over or missing. */
final class ConcurrencyLimiterStressTest {
    private static final long SEED = 20_261_201L;

    private final Totals totals = new Totals();

    private static final class Totals {
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger mostRunning = new AtomicInteger();
        final AtomicInteger admittedTwice = new AtomicInteger();
        final AtomicInteger arrivals = new AtomicInteger();

        void enter() {
            int now = running.incrementAndGet();
            mostRunning.accumulateAndGet(now, Math::max);
        }

        void leave() {
            running.decrementAndGet();
        }
    }

    /** One request; its owner thread polls the flag as an event loop would get a task. */
    private final class Request {
        private final AtomicInteger callbacks = new AtomicInteger();
        private final Arrival arrival;

        Request(ConcurrencyLimiter limiter) {
            arrival = limiter.acquire(() -> {
                if (callbacks.incrementAndGet() > 1) {
                    totals.admittedTwice.incrementAndGet();
                }
            });
            totals.arrivals.incrementAndGet();
        }

        boolean holdsPermit() {
            return arrival.admission() == Admission.ADMITTED || callbacks.get() > 0;
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 3", "4, 2", "4, 64", "100, 10"})
    void anyMix_manyThreads_endsAtZero(int cap, int queueSize) throws Exception {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(cap, queueSize);
        int threads = 6;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Boolean>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                results.add(executor.submit(worker(limiter, cap, new SplittableRandom(SEED + t))));
            }
            for (Future<Boolean> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).as("seed %d", SEED).isTrue();
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(limiter.inUse()).isZero();
        assertThat(limiter.waiting()).isZero();
        assertThat(totals.running).hasValue(0);
        assertThat(totals.mostRunning.get()).isBetween(1, cap);
        assertThat(totals.admittedTwice).hasValue(0);
        for (int i = 0; i < cap; i++) {
            assertThat(limiter.acquire(() -> {}).admission()).isEqualTo(Admission.ADMITTED);
        }
    }

    private Callable<Boolean> worker(ConcurrencyLimiter limiter, int cap, SplittableRandom random) {
        return () -> {
            List<Request> waiting = new ArrayList<>();
            List<Request> running = new ArrayList<>();
            boolean withinCap = true;
            for (int step = 0; step < 20_000; step++) {
                withinCap &= limiter.inUse() <= cap;
                promote(waiting, running);
                int dice = random.nextInt(10);
                if (dice < 4) {
                    waiting.add(new Request(limiter));
                } else if (dice < 8 && !running.isEmpty()) {
                    finish(running.remove(random.nextInt(running.size())));
                } else if (!waiting.isEmpty()) {
                    // Gives up; the permit may be on its way.
                    waiting.remove(random.nextInt(waiting.size()))
                            .arrival
                            .ticket()
                            .release();
                }
            }
            waiting.forEach(request -> request.arrival.ticket().release());
            running.forEach(this::finish);
            return withinCap;
        };
    }

    private void promote(List<Request> waiting, List<Request> running) {
        waiting.removeIf(request -> {
            if (request.arrival.admission() == Admission.REJECTED) {
                request.arrival.ticket().release();
                return true;
            }
            if (request.holdsPermit()) {
                totals.enter();
                running.add(request);
                return true;
            }
            return false;
        });
    }

    private void finish(Request request) {
        totals.leave();
        request.arrival.ticket().release();
    }

    @Test
    void waiters_allPatient_areAllAdmittedOnce() throws Exception {
        ConcurrencyLimiter limiter = new ConcurrencyLimiter(2, 1_000_000);
        int threads = 4;
        int each = 10_000;
        Queue<Arrival> toRelease = new ConcurrentLinkedQueue<>();
        AtomicInteger callbacks = new AtomicInteger();
        AtomicInteger direct = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                results.add(executor.submit(() -> {
                    for (int i = 0; i < each; i++) {
                        Arrival arrival = limiter.acquire(callbacks::incrementAndGet);
                        if (arrival.admission() == Admission.ADMITTED) {
                            direct.incrementAndGet();
                        }
                        toRelease.add(arrival);
                    }
                }));
            }
            for (Future<?> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(direct).hasValue(2);
        assertThat(limiter.waiting()).isEqualTo(threads * each - 2);
        // Those that hold permits first: each release admits the next in the queue, until all had their turn.
        toRelease.stream()
                .filter(arrival -> arrival.admission() == Admission.ADMITTED)
                .forEach(arrival -> arrival.ticket().release());
        assertThat(callbacks).hasValue(2);
        toRelease.forEach(arrival -> arrival.ticket().release());
        assertThat(limiter.inUse()).isZero();
        assertThat(limiter.waiting()).isZero();
    }
}
