package io.kvgate.policies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvgate.core.time.Ticker;
import java.net.URI;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which workers each routing key has been sent to: at most two, the older first. Bounded in number of keys and, if so configured, in
 * idle time.
 *
 * <p>Threading: any thread, one {@link ConcurrentHashMap}; {@link #maintain} by one thread.
 */
final class StickyKeys {
    /*
     * Which key goes when there are too many: the longest unused of sixteen. They are the next sixteen in the map's order, which is
     * the order of hashes; those are mixed well (numbered keys would be neighbours by their own hashes), so they are as good as
     * drawn by chance. A hand goes round the map and goes on where it stopped. So one key too
     * many costs sixteen looks, whatever the size, and no list of all keys by age has to be kept up to date by every request. What
     * goes is among the oldest half with a chance of 1 − 2^−16.
     *
     * The hand is one, so it has a lock. A request that finds it taken goes on: its holder is at work on the same excess and looks
     * again after it has let go. Only if the holder has been stopped for so long that there are 64 keys too many, it is waited for.
     */
    private static final int SAMPLE = 16;

    /** The hand may meet a key that has just gone; then it tries again. */
    private static final int ATTEMPTS = 8;

    private static final int BEARABLE_EXCESS = 64;

    /** Keys that one call looks at; about a millisecond. */
    private static final int LOOKS_PER_MAINTENANCE = 20_000;

    /** A routing key in the map. Comparable, so that keys made to have the same hash cost no more than a binary search. */
    private record Key(String text) implements Comparable<Key> {
        /** Mixed by the last steps of MurmurHash3. */
        @Override
        public int hashCode() {
            int hash = text.hashCode();
            hash = (hash ^ hash >>> 16) * 0x85EBCA6B;
            hash = (hash ^ hash >>> 13) * 0xC2B2AE35;
            return hash ^ hash >>> 16;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && key.text.equals(text);
        }

        @Override
        public int compareTo(Key other) {
            return text.compareTo(other.text);
        }
    }

    /** A key's workers, which never change, and when it was used last. */
    static final class Entry {
        private final URI first;
        private final @Nullable URI second;
        private volatile long usedNanos;

        private Entry(URI first, @Nullable URI second, long usedNanos) {
            this.first = first;
            this.second = second;
            this.usedNanos = usedNanos;
        }

        URI first() {
            return first;
        }

        @Nullable
        URI second() {
            return second;
        }
    }

    private final int maxEntries;
    private final long maxIdleNanos;
    private final long sweepNanos;
    private final Ticker ticker;
    private final Map<Key, Entry> entries = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();
    private final ReentrantLock handLock = new ReentrantLock();

    @GuardedBy("handLock")
    private @Nullable Iterator<Map.Entry<Key, Entry>> hand;

    private @Nullable Iterator<Map.Entry<Key, Entry>> sweep;
    private long sweptNanos;

    /** @param sweepInterval pause between two looks for idle keys; zero, as for {@code maxIdle}: keys never expire */
    StickyKeys(int maxEntries, Duration maxIdle, Duration sweepInterval, Ticker ticker) {
        this.maxEntries = maxEntries;
        this.ticker = ticker;
        maxIdleNanos = Ticker.saturatedNanos(maxIdle);
        sweepNanos = Ticker.saturatedNanos(sweepInterval);
        sweptNanos = ticker.nanos();
    }

    int size() {
        return size.get();
    }

    /** The key's workers; this counts as a use. */
    @Nullable
    Entry use(String key) {
        Entry entry = entries.get(new Key(key));
        if (entry != null) {
            entry.usedNanos = ticker.nanos();
        }
        return entry;
    }

    /** Whether the key was new and has this worker now; false if another thread was first. */
    boolean add(String key, URI worker) {
        Key added = new Key(key);
        // Counted before it can be seen: it may be gone again before this thread goes on.
        size.incrementAndGet();
        if (entries.putIfAbsent(added, new Entry(worker, null, ticker.nanos())) != null) {
            size.decrementAndGet();
            return false;
        }
        while (size.get() > maxEntries && takeHand()) {
            try {
                if (!evictOne(added)) {
                    break;
                }
            } finally {
                handLock.unlock();
            }
        }
        return true;
    }

    private boolean takeHand() {
        if (size.get() > maxEntries + BEARABLE_EXCESS) {
            handLock.lock();
            return true;
        }
        return handLock.tryLock();
    }

    /** Gives the key one more worker, its newest; the oldest of three goes. False if the entry isn't the key's any more. */
    boolean append(String key, Entry present, URI worker) {
        URI older = present.second == null ? present.first : present.second;
        return entries.replace(new Key(key), present, new Entry(older, worker, ticker.nanos()));
    }

    /** @return whether one has gone */
    @GuardedBy("handLock")
    private boolean evictOne(Key spared) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Map.Entry<Key, Entry> oldest = oldestOfNext(spared);
            if (oldest != null && remove(oldest.getKey(), oldest.getValue())) {
                return true;
            }
        }
        return false;
    }

    @GuardedBy("handLock")
    private Map.@Nullable Entry<Key, Entry> oldestOfNext(Key spared) {
        long nowNanos = ticker.nanos();
        Map.Entry<Key, Entry> oldest = null;
        long oldestIdle = Long.MIN_VALUE;
        boolean begunAnew = false;
        for (int looks = 0; looks < SAMPLE; looks++) {
            if (hand == null || !hand.hasNext()) {
                Iterator<Map.Entry<Key, Entry>> fresh = entries.entrySet().iterator();
                if (begunAnew || !fresh.hasNext()) {
                    break;
                }
                begunAnew = true;
                hand = fresh;
            }
            Map.Entry<Key, Entry> seen = hand.next();
            long idle = nowNanos - seen.getValue().usedNanos;
            if (idle > oldestIdle && !seen.getKey().equals(spared)) {
                oldest = seen;
                oldestIdle = idle;
            }
        }
        return oldest;
    }

    private boolean remove(Key key, Entry entry) {
        boolean removed = entries.remove(key, entry);
        if (removed) {
            size.decrementAndGet();
        }
        return removed;
    }

    /** Once per interval looks through all keys for idle ones, in portions. */
    void maintain() {
        if (maxIdleNanos == 0 || sweepNanos == 0) {
            return;
        }
        long nowNanos = ticker.nanos();
        if (sweep == null) {
            if (nowNanos - sweptNanos < sweepNanos) {
                return;
            }
            sweptNanos = nowNanos;
            sweep = entries.entrySet().iterator();
        }
        for (int looks = 0; looks < LOOKS_PER_MAINTENANCE && sweep.hasNext(); looks++) {
            Map.Entry<Key, Entry> seen = sweep.next();
            if (nowNanos - seen.getValue().usedNanos >= maxIdleNanos) {
                remove(seen.getKey(), seen.getValue());
            }
        }
        if (!sweep.hasNext()) {
            sweep = null;
        }
    }
}
