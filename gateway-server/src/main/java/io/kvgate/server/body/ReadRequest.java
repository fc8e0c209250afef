package io.kvgate.server.body;

import io.kvgate.core.request.Prompt;
import org.jspecify.annotations.Nullable;

/**
 * What a body says.
 *
 * @param model null if absent, null or empty
 * @param stream whether {@code stream} is true
 * @param prompt a view on the reader's arrays, valid until it reads again; {@link Prompt#NONE} if it was not asked for or is empty
 */
public record ReadRequest(@Nullable String model, boolean stream, Prompt prompt) {}
