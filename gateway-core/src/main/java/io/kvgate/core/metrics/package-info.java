/** Every meter the gateway exports, in one enum, and the small interface that domain code reports through. */
@NullMarked
package io.kvgate.core.metrics;

import org.jspecify.annotations.NullMarked;
