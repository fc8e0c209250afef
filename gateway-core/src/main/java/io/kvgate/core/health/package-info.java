/** Decides from probe results when a worker becomes ready or not ready. Opens no sockets. */
@NullMarked
package io.kvgate.core.health;

import org.jspecify.annotations.NullMarked;
