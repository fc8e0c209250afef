/** The only source of chance, as core.time is the only clock. */
@NullMarked
package io.kvgate.core.random;

import org.jspecify.annotations.NullMarked;
