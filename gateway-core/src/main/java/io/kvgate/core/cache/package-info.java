/** What the replicas' prefix caches hold, as policies see it: keys of token chains, and who holds how much of one. */
@NullMarked
package io.kvgate.core.cache;

import org.jspecify.annotations.NullMarked;
