/** Keeps one source's picture true through lost, late, repeated and broken messages: decisions only, no sockets, no threads, no clock. */
@NullMarked
package io.kvgate.kvevents.sync;

import org.jspecify.annotations.NullMarked;
