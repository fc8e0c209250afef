/** Where workers come from: sources that add workers to and remove them from the registry. */
@NullMarked
package io.kvgate.server.discovery;

import org.jspecify.annotations.NullMarked;
