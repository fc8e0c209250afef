package io.kvgate.policies;

import java.util.Arrays;

/**
 * The division of all prompt lengths into one range per worker: from 0, without gaps, the last without end.
 *
 * <p>Threading: immutable.
 */
final class BucketRanges {
    /** Of no worker. */
    static final BucketRanges NONE = new BucketRanges(new long[0], 0);

    /** Prompts are taken to be shorter than this before any was seen. */
    private static final long FIRST_LENGTHS = 4_096;

    /** The last length of each range. */
    private final long[] last;

    private final long workPerRange;

    private BucketRanges(long[] last, long workPerRange) {
        this.last = last;
        this.workPerRange = workPerRange;
    }

    /** Equal ranges below 4,096; nothing was seen yet. */
    static BucketRanges first(int count) {
        long[] last = new long[count];
        for (int i = 0; i < count; i++) {
            last[i] = i == count - 1 ? Long.MAX_VALUE : (i + 1) * (FIRST_LENGTHS / count) - 1;
        }
        return new BucketRanges(last, 0);
    }

    /**
     * Ranges that would have shared these prompts evenly by characters.
     *
     * @param lengths at least one, ascending
     * @param count of ranges, at least 1
     */
    static BucketRanges dividing(long[] lengths, int count) {
        long workPerRange = Arrays.stream(lengths).sum() / count;
        long[] last = new long[count];
        int next = 0;
        long low = 0;
        for (int i = 0; i < count - 1; i++) {
            long work = 0;
            long reached = -1;
            while (reached < 0 && next < lengths.length) {
                work += lengths[next];
                reached = work >= workPerRange ? lengths[next] : -1;
                next++;
            }
            last[i] = reached > low ? reached : low + workPerRange;
            low = last[i] + 1;
        }
        last[count - 1] = Long.MAX_VALUE;
        return new BucketRanges(last, workPerRange);
    }

    /** Characters that each range had of the prompts it was made for; 0: not made for any, or they were empty. */
    long workPerRange() {
        return workPerRange;
    }

    int count() {
        return last.length;
    }

    /** The last length of a range. */
    long last(int range) {
        return last[range];
    }

    /** The range of a prompt of that many characters; 0 or more. */
    int of(long length) {
        int found = Arrays.binarySearch(last, length);
        return found >= 0 ? found : -found - 1;
    }
}
