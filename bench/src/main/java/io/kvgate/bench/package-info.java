/**
 * What measures and tries the gateway: simulated engines and what drives them. Nothing depends on this module.
 */
@NullMarked
package io.kvgate.bench;

import org.jspecify.annotations.NullMarked;
