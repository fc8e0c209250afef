/**
 * Connections to workers and what passes over them. A connection belongs to one event loop and serves one request at a time; its
 * response head is decoded, its body passes as raw bytes behind a framing tracker.
 *
 * <p>Threading: everything here is confined to one event loop, unless a type says otherwise.
 */
@NullMarked
package io.kvgate.server.upstream;

import org.jspecify.annotations.NullMarked;
