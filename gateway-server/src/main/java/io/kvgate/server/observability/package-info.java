/** Meters, the Prometheus listener, the access log and the logging set-up. Knows no Netty. */
@NullMarked
package io.kvgate.server.observability;

import org.jspecify.annotations.NullMarked;
