package io.kvgate.policies;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Each worker serves the prompts of one range of lengths, so that short ones don't wait behind long ones. The ranges are divided
 * anew from time to time such that each has the same work; while work is uneven, the worker with the least is taken.
 *
 * <p>Threading: any thread; the generator is shared and must allow that. {@link #maintain} by one thread.
 */
final class BucketPolicy implements LoadBalancingPolicy {
    /** The members with what was sent to each, and their ranges: member i has range i. */
    private static final class Shares {
        private final Worker[] members;
        private final BucketWindow.Work[] works;
        private volatile BucketRanges ranges;

        Shares(Worker[] members, BucketWindow.Work[] works, BucketRanges ranges) {
            this.members = members;
            this.works = works;
            this.ranges = ranges;
        }
    }

    private final int balanceAbsThreshold;
    private final double balanceRelThreshold;
    private final long adjustNanos;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final BucketWindow window;
    private final PerMembership<Shares> shares =
            new PerMembership<>(new Shares(new Worker[0], new BucketWindow.Work[0], BucketRanges.NONE), this::shared);

    private final Branch noHealthyWorkers;
    private final Branch range;
    private final Branch nextRange;
    private final Branch leastWork;

    private long adjustedNanos;

    BucketPolicy(PolicyConfig.Bucket config, PolicyServices services) {
        balanceAbsThreshold = config.balanceAbsThreshold();
        balanceRelThreshold = config.balanceRelThreshold();
        adjustNanos = Ticker.saturatedNanos(config.adjustInterval());
        ticker = services.ticker();
        random = services.random();
        window = new BucketWindow(adjustNanos, ticker);
        adjustedNanos = ticker.nanos();
        noHealthyWorkers = branch(services, "no_healthy_workers");
        range = branch(services, "range");
        nextRange = branch(services, "next_range");
        leastWork = branch(services, "least_work");
    }

    private static Branch branch(PolicyServices services, String reason) {
        return new Branch(services, GatewayMeter.BUCKET_BRANCH, reason);
    }

    @Override
    public String name() {
        return PolicyConfig.Bucket.NAME;
    }

    @Override
    public boolean needsPrompt() {
        return true;
    }

    /** Sums of workers that stay are kept. Ranges are divided at once, by the lengths seen so far. */
    private Shares shared(Shares before, List<Worker> members) {
        Map<Worker, BucketWindow.Work> known = new HashMap<>();
        for (int i = 0; i < before.members.length; i++) {
            known.put(before.members[i], before.works[i]);
        }
        BucketWindow.Work[] works = new BucketWindow.Work[members.size()];
        for (int i = 0; i < works.length; i++) {
            BucketWindow.Work work = known.get(members.get(i));
            works[i] = work == null ? new BucketWindow.Work() : work;
        }
        long[] lengths = window.lengths(false);
        BucketRanges ranges = lengths.length == 0 || members.isEmpty()
                ? BucketRanges.first(members.size())
                : BucketRanges.dividing(lengths, members.size());
        return new Shares(members.toArray(Worker[]::new), works, ranges);
    }

    @Override
    public @Nullable Worker select(Candidates candidates, SelectionContext context) {
        if (candidates.isEmpty()) {
            noHealthyWorkers.taken(context);
            return null;
        }
        Shares now = shares.of(candidates.pool());
        window.advance(now.works);
        int characters = context.prompt().codePoints();
        int owner = now.ranges.of(characters);
        int chosen = leastIfUneven(now, candidates);
        if (chosen >= 0) {
            leastWork.taken(context);
        } else if (candidates.contains(now.members[owner], owner)) {
            chosen = owner;
            range.taken(context);
        } else {
            chosen = nextAvailable(now, owner, candidates);
            nextRange.taken(context);
        }
        window.add(now.works[chosen], characters);
        return now.members[chosen];
    }

    /** The candidate with the least work, if the candidates' work is uneven; else −1. */
    private int leastIfUneven(Shares now, Candidates candidates) {
        long most = Long.MIN_VALUE;
        long least = Long.MAX_VALUE;
        int best = -1;
        int equals = 0;
        int candidate = 0;
        boolean all = candidates.size() == now.members.length;
        for (int i = 0; i < now.members.length && candidate < candidates.size(); i++) {
            // Both are in the same order; who is left out of the candidates has no say.
            if (!all && candidates.get(candidate) != now.members[i]) {
                continue;
            }
            candidate++;
            long work = now.works[i].get();
            most = Math.max(most, work);
            if (work < least) {
                least = work;
                best = i;
                equals = 1;
            } else if (work == least) {
                equals++;
            }
        }
        boolean uneven = most - least > balanceAbsThreshold && most > balanceRelThreshold * least;
        if (!uneven) {
            return -1;
        }
        return equals == 1 ? best : oneOf(now, candidates, least, best);
    }

    private int oneOf(Shares now, Candidates candidates, long least, int first) {
        int best = first;
        int equals = 1;
        for (int i = first + 1; i < now.members.length; i++) {
            if (now.works[i].get() <= least
                    && candidates.contains(now.members[i], i)
                    && random.nextInt(++equals) == 0) {
                best = i;
            }
        }
        return best;
    }

    /** The first candidate that serves longer prompts, around the end. There is a candidate. */
    private static int nextAvailable(Shares now, int owner, Candidates candidates) {
        int index = owner;
        do {
            index = index + 1 == now.members.length ? 0 : index + 1;
        } while (!candidates.contains(now.members[index], index));
        return index;
    }

    /** Takes off what has grown old though nobody asks, and divides the ranges anew once per interval. */
    @Override
    public void maintain() {
        Shares now = shares.latest();
        window.advance(now.works);
        long nowNanos = ticker.nanos();
        if (nowNanos - adjustedNanos < adjustNanos || now.members.length == 0) {
            return;
        }
        adjustedNanos = nowNanos;
        long[] lengths = window.lengths(true);
        if (lengths.length == 0) {
            return;
        }
        BucketRanges divided = BucketRanges.dividing(lengths, now.members.length);
        long before = now.ranges.workPerRange();
        boolean alike = divided.workPerRange() <= 2 * before && before <= 2 * divided.workPerRange();
        if (before == 0 || !alike) {
            now.ranges = divided;
        }
    }

    /** The ranges in force; for tests. */
    BucketRanges ranges() {
        return shares.latest().ranges;
    }
}
