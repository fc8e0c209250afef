/**
 * What each replica's KV cache holds, learned from the engine's own events. Empty so far: decoding, synchronization, the block
 * index and the ZeroMQ transport come here.
 */
@NullMarked
package io.kvgate.kvevents;

import org.jspecify.annotations.NullMarked;
