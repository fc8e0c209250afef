package io.kvgate.core.request;

import org.jspecify.annotations.Nullable;

/**
 * One inference request as routing sees it. The body itself is not here: it goes to the worker as it came.
 *
 * @param endpoint which API
 * @param model the body's {@code model}; null if absent, null or empty
 * @param stream whether the client asked for a stream
 * @param keys what its headers say on where it should go
 */
public record InferenceRequest(
        ApiEndpoint endpoint, @Nullable String model, boolean stream, RoutingKeys keys) {}
