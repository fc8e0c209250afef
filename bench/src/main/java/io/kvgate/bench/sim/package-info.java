/**
 * A fleet of engine models under a real policy, in virtual time: what a policy finds in caches and how long first tokens take, for
 * traffic that no laptop could serve. Opens no socket and reads no clock, so a seed gives one result. May use every other package of
 * the module except {@code demo} and {@code jmh}.
 */
@NullMarked
package io.kvgate.bench.sim;

import org.jspecify.annotations.NullMarked;
