/** The gateway in front of simulated engines, in one process, to try it without a GPU. */
@NullMarked
package io.kvgate.bench.demo;

import org.jspecify.annotations.NullMarked;
