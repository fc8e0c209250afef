package io.kvgate.kvevents;

import io.kvgate.core.worker.WorkerId;

/**
 * One stream of events: one rank of one worker. A worker that is removed and added again has a new id, so nothing of an old one is taken
 * for it.
 *
 * @param worker whose cache it tells of
 * @param rank data-parallel rank, from 0
 */
public record SourceId(WorkerId worker, int rank) {}
