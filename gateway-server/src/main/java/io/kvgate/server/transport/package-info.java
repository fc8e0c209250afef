/** The choice between io_uring, epoll and NIO, made once at start. */
@NullMarked
package io.kvgate.server.transport;

import org.jspecify.annotations.NullMarked;
