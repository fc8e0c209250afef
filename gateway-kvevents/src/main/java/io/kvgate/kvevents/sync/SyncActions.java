package io.kvgate.kvevents.sync;

import io.kvgate.core.cache.CacheTrust;

/**
 * What a {@link SourceSync} has done about its source. Called from within its methods, on the same thread; must not call back.
 */
public interface SyncActions {
    /**
     * Takes the batch into the picture.
     *
     * @return false if the payload is malformed: nothing of it was applied
     */
    boolean apply(long sequence, byte[] payload);

    /**
     * Empties the picture.
     *
     * @param reason a short word, for the log and the meters
     */
    void clear(String reason);

    /** Asks the source for what it has kept, beginning with this sequence. A request under way is given up for it. */
    void requestReplay(long fromSequence);

    /** The picture can be believed more, or less, from now on. */
    void trust(CacheTrust trust);
}
