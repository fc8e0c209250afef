package io.kvgate.core.cache;

/** How far the picture of one worker's cache can be believed. */
public enum CacheTrust {
    /** Every event since the picture began was seen: it shows nothing that isn't there. */
    EXACT,
    /** The picture is being built or rebuilt: what it shows is there, but more may be. */
    RECOVERING,
    /** There are no events from this worker. */
    NONE
}
