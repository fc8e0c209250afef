package io.kvgate.policies;

import io.kvgate.core.time.Ticker;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What was sent within the last interval: the characters sent to each worker, and a sample of prompt lengths.
 *
 * <p>Threading: any thread; atomics only.
 */
final class BucketWindow {
    /*
     * The interval is cut into slices. A worker has a sum for each slice and one over all that are not over; when a slice of the clock
     * begins, whoever notices takes the oldest slice's sums off. So a request costs two additions, memory does not grow
     * with traffic, and a prompt counts for the interval and at most a tenth more.
     *
     * Every sum that is taken off is one that was added before, since both the total and the slice get each addition, the total
     * first. A thread that adds to a slice after its time is counted with a later slice, and is taken off with that. The
     * slice after the current one is always empty, so that clearing can't meet those who add.
     *
     * Lengths are a ring of the last 4,096 requests, each a length and a moment in one long. Up to 800 requests a second at 5 s
     * that is all of them; beyond, the latest are a fair sample.
     */
    private static final int SLICES_PER_INTERVAL = 10;
    private static final int SLOTS = SLICES_PER_INTERVAL + 2;
    private static final int SAMPLE = 4_096;
    private static final long NOTHING = -1;

    /** The characters sent to one worker within the last interval: the number itself is the total. */
    static final class Work extends AtomicLong {
        private final AtomicLongArray slices = new AtomicLongArray(SLOTS);

        private void expire(int slot) {
            addAndGet(-slices.getAndSet(slot, 0));
        }
    }

    private final Ticker ticker;
    private final long startNanos;
    private final long sliceNanos;
    private final AtomicLong currentSlice = new AtomicLong();
    private final AtomicLongArray lengths = new AtomicLongArray(SAMPLE);
    private final AtomicLong sampled = new AtomicLong();

    BucketWindow(long intervalNanos, Ticker ticker) {
        this.ticker = ticker;
        startNanos = ticker.nanos();
        sliceNanos = Math.max(1, intervalNanos / SLICES_PER_INTERVAL);
        for (int i = 0; i < SAMPLE; i++) {
            lengths.set(i, NOTHING);
        }
    }

    private long sliceNow() {
        return (ticker.nanos() - startNanos) / sliceNanos;
    }

    /** Takes off what is older than the interval. Cheap while no slice has begun since the last call. */
    void advance(Work[] works) {
        long now = sliceNow();
        long before = currentSlice.get();
        if (now <= before || !currentSlice.compareAndSet(before, now)) {
            return;
        }
        long firstToClear = Math.max(before + 2, now + 2 - SLOTS);
        for (long slice = firstToClear; slice <= now + 1; slice++) {
            for (Work work : works) {
                work.expire((int) (slice % SLOTS));
            }
        }
    }

    void add(Work work, int characters) {
        long slice = currentSlice.get();
        work.addAndGet(characters);
        work.slices.addAndGet((int) (slice % SLOTS), characters);
        // 31 bits of slices are six years at the least.
        lengths.set((int) (sampled.getAndIncrement() % SAMPLE), (slice & Integer.MAX_VALUE) << 32 | characters);
    }

    /** The lengths of the last requests, ascending; of the last interval's if {@code recentOnly}. May be empty. */
    long[] lengths(boolean recentOnly) {
        long oldest = recentOnly ? currentSlice.get() - SLICES_PER_INTERVAL : Long.MIN_VALUE;
        long[] found = new long[SAMPLE];
        int count = 0;
        for (int i = 0; i < SAMPLE; i++) {
            long one = lengths.get(i);
            if (one != NOTHING && one >>> 32 >= oldest) {
                found[count++] = one & 0xFFFF_FFFFL;
            }
        }
        long[] exact = Arrays.copyOf(found, count);
        Arrays.sort(exact);
        return exact;
    }
}
