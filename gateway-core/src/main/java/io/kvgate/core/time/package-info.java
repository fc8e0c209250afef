/** The only clock. */
@NullMarked
package io.kvgate.core.time;

import org.jspecify.annotations.NullMarked;
