/** Hashes that give the same placement in every gateway and after every restart, and the ring they fall on. Knows no policy. */
@NullMarked
package io.kvgate.policies.hash;

import org.jspecify.annotations.NullMarked;
