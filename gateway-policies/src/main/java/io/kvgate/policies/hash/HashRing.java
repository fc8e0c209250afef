package io.kvgate.policies.hash;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A consistent-hash ring over URLs: each has 150 points, and a key belongs to the first point at or after its own place, around the
 * end. Same URLs, same ring, whatever their order and whichever gateway.
 *
 * <p>Threading: immutable.
 */
public final class HashRing {
    /*
     * Points are kept sorted as signed numbers with the top bit turned over, which is the unsigned order. A hash is uniform, so
     * its top bits say about where it falls: a table holds, for each value of the top bits, the first point that has it or a higher
     * one. There is about one point per table entry, so a look-up is one read of the table and a step or two, instead of 14
     * unforeseeable branches of a binary search among the 9,600 points of 64 workers.
     *
     * A ring for other URLs is made from this one: points of URLs that stay are taken over (hashing 150 of them costs some 30 us), and
     * sorted runs are merged pairwise, O(points x log URLs).
     */

    /** Of the reference; placement depends on it. */
    public static final int POINTS_PER_URL = 150;

    /** Of no URL. */
    public static final HashRing EMPTY = new HashRing(List.of(), Map.of());

    /** A sorted run of points, each with its URL's index. */
    private static final class Run {
        private final long[] points;
        private final int[] owners;

        Run(long[] points, int[] owners) {
            this.points = points;
            this.owners = owners;
        }

        static Run merge(Run left, Run right) {
            int size = left.points.length + right.points.length;
            Run merged = new Run(new long[size], new int[size]);
            int l = 0;
            int r = 0;
            for (int i = 0; i < size; i++) {
                boolean fromLeft =
                        r == right.points.length || (l < left.points.length && left.points[l] <= right.points[r]);
                Run from = fromLeft ? left : right;
                int at = fromLeft ? l++ : r++;
                merged.points[i] = from.points[at];
                merged.owners[i] = from.owners[at];
            }
            return merged;
        }
    }

    private final Map<String, long[]> pointsOfUrl;
    private final long[] points;
    private final int[] owners;
    private final int[] firstOfTop;
    private final int topShift;

    private HashRing(List<String> urls, Map<String, long[]> pointsOfUrl) {
        this.pointsOfUrl = pointsOfUrl;
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < urls.size(); i++) {
            int[] owner = new int[POINTS_PER_URL];
            Arrays.fill(owner, i);
            runs.add(new Run(pointsOfUrl.getOrDefault(urls.get(i), new long[0]), owner));
        }
        Run all = merged(runs);
        points = all.points;
        owners = all.owners;
        int topBits = 31 - Integer.numberOfLeadingZeros(Math.max(2, points.length));
        topShift = Long.SIZE - topBits;
        firstOfTop = new int[1 << topBits];
        int point = 0;
        for (int top = 0; top < firstOfTop.length; top++) {
            while (point < points.length && unsigned(points[point]) >>> topShift < top) {
                point++;
            }
            firstOfTop[top] = point;
        }
    }

    private static Run merged(List<Run> runs) {
        List<Run> level = runs;
        while (level.size() > 1) {
            List<Run> next = new ArrayList<>();
            for (int i = 0; i + 1 < level.size(); i += 2) {
                next.add(Run.merge(level.get(i), level.get(i + 1)));
            }
            if (level.size() % 2 == 1) {
                next.add(level.get(level.size() - 1));
            }
            level = next;
        }
        return level.isEmpty() ? new Run(new long[0], new int[0]) : level.get(0);
    }

    /** A ring of these, each once. Only those that this ring doesn't have are hashed. */
    public HashRing of(List<String> urls) {
        Map<String, long[]> next = new HashMap<>();
        for (String url : urls) {
            long[] known = pointsOfUrl.get(url);
            if (next.put(url, known != null ? known : hashed(url)) != null) {
                throw new IllegalArgumentException("urls: " + url + " twice (expected: each once)");
            }
        }
        return new HashRing(urls, next);
    }

    private static long[] hashed(String url) {
        long[] own = new long[POINTS_PER_URL];
        for (int i = 0; i < own.length; i++) {
            own[i] = unsigned(KeyHash.of(url + "#" + i));
        }
        Arrays.sort(own);
        return own;
    }

    private static long unsigned(long value) {
        return value ^ Long.MIN_VALUE;
    }

    /** Points on it. */
    public int size() {
        return points.length;
    }

    /** The index of the first point at or after this place, 0 to size() − 1. The ring must not be empty. */
    public int find(long hash) {
        long wanted = unsigned(hash);
        int point = firstOfTop[(int) (hash >>> topShift)];
        while (point < points.length && points[point] < wanted) {
            point++;
        }
        return point == points.length ? 0 : point;
    }

    /** The index of the point that follows clockwise. */
    public int next(int point) {
        return point + 1 == points.length ? 0 : point + 1;
    }

    /** The place of a point. */
    public long hashAt(int point) {
        return unsigned(points[point]);
    }

    /** Whose it is: an index into the list that the ring was made of. */
    public int ownerAt(int point) {
        return owners[point];
    }
}
