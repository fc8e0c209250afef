package io.kvgate.server.e2e.kit;

/** How a body ended. */
public enum BodyEnd {
    /** By its length, its last chunk, or having none. */
    COMPLETE,
    /** Close-delimited, and the peer closed in order. */
    CLOSED,
    /** The peer closed in order, but before the length or the last chunk was reached. */
    TRUNCATED,
    /** The peer reset the connection. */
    RESET,
    /** The chunked framing is broken. */
    MALFORMED
}
