/**
 * The front end: client connections, admission, request bodies, gateway-made answers. Knows of routing only what a request is
 * handed to, and of the control plane only {@link io.kvgate.server.http.ControlRoute}.
 */
@NullMarked
package io.kvgate.server.http;

import org.jspecify.annotations.NullMarked;
