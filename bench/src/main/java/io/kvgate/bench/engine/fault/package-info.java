/** Ways in which an engine can be made to misbehave while it runs. No sockets here: the server asks and obeys. */
@NullMarked
package io.kvgate.bench.engine.fault;

import org.jspecify.annotations.NullMarked;
