/**
 * The shapes of an engine's answers, as one JSON document or as a stream of events, per API. Knows nothing of sockets
 * or of the model; every answer belongs to one request and one thread.
 */
@NullMarked
package io.kvgate.bench.engine.answer;

import org.jspecify.annotations.NullMarked;
