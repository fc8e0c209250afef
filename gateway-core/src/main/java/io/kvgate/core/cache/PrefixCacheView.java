package io.kvgate.core.cache;

import io.kvgate.core.worker.Worker;

/**
 * What is known of the replicas' prefix caches.
 *
 * <p>Threading: any thread, without locks; a call that races a change sees what was before it or after it, block by block.
 */
public interface PrefixCacheView {
    /** Knows nothing of anybody. */
    PrefixCacheView NOTHING = new PrefixCacheView() {
        @Override
        public void match(PrefixQuery query, Worker[] workers, int count, OverlapScores scores) {
            scores.reset(count);
        }

        @Override
        public CacheTrust trust(Worker worker) {
            return CacheTrust.NONE;
        }
    };

    /**
     * Finds how much of the prompt each worker holds: the longest prefix of whole blocks that it holds without a gap, at most what an
     * engine can reuse (all but the last token, whole blocks). A worker with several ranks counts with its best one.
     *
     * @param workers asked about, from index 0; the scores have the same positions
     * @param count how many
     * @param scores reset and filled
     */
    void match(PrefixQuery query, Worker[] workers, int count, OverlapScores scores);

    /** How far the picture of this worker can be believed; of several ranks the least. */
    CacheTrust trust(Worker worker);
}
