/**
 * Reads what routing needs from a request body, in one pass over its bytes: model, stream, and the prompt if a policy looks at it.
 * Nothing here changes a body or keeps one. May use {@code core} and Netty's buffers; knows nothing of connections or workers.
 */
@NullMarked
package io.kvgate.server.body;

import org.jspecify.annotations.NullMarked;
