/**
 * Experiments through a real gateway, real sockets and simulated engines, whose tables and plots stand in the documentation. May use
 * every other package of the module except {@code demo} and {@code jmh}.
 */
@NullMarked
package io.kvgate.bench.experiment;

import org.jspecify.annotations.NullMarked;
