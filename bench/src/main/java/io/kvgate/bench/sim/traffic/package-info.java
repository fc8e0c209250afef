/** What clients send in a simulation: token ids and the text that is one to one with them. Pure; uses random numbers and {@code core}. */
@NullMarked
package io.kvgate.bench.sim.traffic;

import org.jspecify.annotations.NullMarked;
