/**
 * Micro-benchmarks of what runs once per request, and the command that runs them. JMH makes subclasses of the benchmark and state
 * classes, so these alone are not final.
 */
@NullMarked
package io.kvgate.bench.jmh;

import org.jspecify.annotations.NullMarked;
