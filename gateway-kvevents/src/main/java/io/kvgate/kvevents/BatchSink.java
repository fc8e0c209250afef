package io.kvgate.kvevents;

import io.kvgate.core.cache.CacheTrust;
import io.kvgate.kvevents.event.KvEventBatch;

/**
 * Where batches go once they are in order and complete.
 *
 * <p>Threading: called by one thread.
 */
public interface BatchSink {
    /** A source whose picture is empty and not trusted. */
    void add(SourceId source);

    void apply(SourceId source, KvEventBatch batch, long nowNanos);

    /** The source's picture is empty from now on. */
    void clear(SourceId source);

    void trust(SourceId source, CacheTrust trust);

    /** Forgets the source and everything of it. */
    void remove(SourceId source);
}
