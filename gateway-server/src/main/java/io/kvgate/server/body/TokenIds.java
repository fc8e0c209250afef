package io.kvgate.server.body;

import java.util.Arrays;

/**
 * Token ids that grow up to a bound; those beyond it are dropped. The array is used again for the next body, and given up when it has
 * become large.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class TokenIds {
    private static final int SMALL = 1_024;
    private static final int KEPT = 65_536;

    /** The array; replaced when it grows. */
    int[] ids = new int[SMALL];

    int count;
    private final int max;

    /** @param max how many it may hold */
    TokenIds(int max) {
        this.max = max;
    }

    void recycle() {
        if (ids.length > KEPT && count < KEPT) {
            ids = new int[SMALL];
        }
        count = 0;
    }

    /** @param id 0 to 2^32 − 1 */
    void add(long id) {
        if (count == max) {
            return;
        }
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, Math.min(max, count * 2));
        }
        ids[count++] = (int) id;
    }
}
