/**
 * Runs the pure model in real time: one driver per data-parallel rank waits out each step on the engine's event loop,
 * faster than life by a factor. All of it is confined to that loop.
 */
@NullMarked
package io.kvgate.bench.engine.driver;

import org.jspecify.annotations.NullMarked;
