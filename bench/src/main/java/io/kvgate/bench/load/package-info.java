/**
 * Puts load on a gateway of this machine over real sockets, bounded in count and time, and measures what a client sees. Uses
 * {@code workload} for arrivals; knows nothing of engines.
 */
@NullMarked
package io.kvgate.bench.load;

import org.jspecify.annotations.NullMarked;
