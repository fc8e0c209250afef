package io.kvgate.server.http;

import org.jspecify.annotations.Nullable;

/** Finds the route of a path. */
@FunctionalInterface
public interface ControlPlane {
    /** The route, or null if the path is none of the gateway's own. */
    @Nullable
    ControlRoute route(String path);
}
