/**
 * What the gateway asks workers beside the request path: health, metadata and load. Blocking-free, on threads of its own, never
 * on an event loop; what it learns reaches the rest through {@link io.kvgate.core.worker.WorkerRegistry} only.
 */
@NullMarked
package io.kvgate.server.monitor;

import org.jspecify.annotations.NullMarked;
