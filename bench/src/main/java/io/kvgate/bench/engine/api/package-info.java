/**
 * The words an engine understands: its inference paths, how their bodies become token ids, and its error bodies.
 * Knows nothing of sockets or of the model.
 */
@NullMarked
package io.kvgate.bench.engine.api;

import org.jspecify.annotations.NullMarked;
