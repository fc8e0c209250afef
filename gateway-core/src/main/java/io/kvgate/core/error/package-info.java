/** The closed vocabulary of failures: what a client is told, how it is counted, whether a retry is safe. */
@NullMarked
package io.kvgate.core.error;

import org.jspecify.annotations.NullMarked;
