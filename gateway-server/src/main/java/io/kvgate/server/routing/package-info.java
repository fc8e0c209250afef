/**
 * One request's way from its parsed body to the last byte of its answer: choice of a worker, attempts, relay, end. Reaches the
 * client only through {@link io.kvgate.server.routing.Exchange.Client}.
 *
 * <p>Threading: everything of one request is confined to its client's event loop.
 */
@NullMarked
package io.kvgate.server.routing;

import org.jspecify.annotations.NullMarked;
