/** Start and end of the process: arguments in, one composition root, exit code out. Nothing imports this package. */
@NullMarked
package io.kvgate.server;

import org.jspecify.annotations.NullMarked;
