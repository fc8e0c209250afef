/** From a payload's bytes to {@link io.kvgate.kvevents.event.KvEventBatch}: by shape, never by version; bounded in depth, length and memory. */
@NullMarked
package io.kvgate.kvevents.decode;

import org.jspecify.annotations.NullMarked;
