/** Circuit breaker, retry rule, concurrency limiter and token bucket; pure, on an injected clock. */
@NullMarked
package io.kvgate.core.resilience;

import org.jspecify.annotations.NullMarked;
