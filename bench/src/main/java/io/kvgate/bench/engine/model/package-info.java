/**
 * One inference engine as arithmetic: step times, the pool of KV blocks and the scheduler, in virtual time.
 * Nothing here opens a socket, reads a clock or starts a thread; whoever calls gives the time. The simulation of
 * a fleet and the engine behind a real socket both drive these classes. Uses the JDK only.
 */
@NullMarked
package io.kvgate.bench.engine.model;

import org.jspecify.annotations.NullMarked;
