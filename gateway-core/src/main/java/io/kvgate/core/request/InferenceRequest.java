package io.kvgate.core.request;

import org.jspecify.annotations.Nullable;

/**
 * One inference request as routing sees it. The body itself is not here: it goes to the worker as it came.
 *
 * @param endpoint which API
 * @param model the body's {@code model}; null if absent, null or empty
 * @param stream whether the client asked for a stream
 * @param prompt what prefix policies work on; {@link Prompt#NONE} unless the policy in force asks for it
 * @param routingKey the header {@code X-SMG-Routing-Key}; null if absent or empty
 */
public record InferenceRequest(
        ApiEndpoint endpoint,
        @Nullable String model,
        boolean stream,
        Prompt prompt,
        @Nullable String routingKey) {}
