/**
 * What the end-to-end tests are made of: workers and clients on raw sockets, so that a test chooses each byte, pause, FIN and
 * RST, and a gateway that is checked to be empty when a test ends.
 */
@NullMarked
package io.kvgate.server.e2e.kit;

import org.jspecify.annotations.NullMarked;
