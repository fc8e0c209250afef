/**
 * The gateway's own API: probes, information, workers, fan-out calls. Routes run on event loops and must not block; whatever
 * needs a worker goes through {@link io.kvgate.server.monitor.WorkerHttp}. May use {@code monitor} and the control-plane
 * interfaces of {@code http}.
 */
@NullMarked
package io.kvgate.server.admin;

import org.jspecify.annotations.NullMarked;
