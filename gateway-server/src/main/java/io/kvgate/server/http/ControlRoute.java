package io.kvgate.server.http;

import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * One path of the gateway's own API: probes, information, workers. Everything that is not inference.
 *
 * <p>Threading: called on an event loop; must not block. The answer may be completed from any thread.
 */
public interface ControlRoute {
    /** Who may call. */
    enum Access {
        /** Anyone, no key. */
        PUBLIC,
        /** Whoever has the gateway's {@code --api-key}, if one is set. */
        KEY,
        /** Whoever has an administrator's key, if one is set; else as {@link #KEY}. */
        ADMIN
    }

    /** Upper case, as {@code GET}. Others are answered 405 with {@code Allow}; HEAD is answered wherever GET is. */
    Set<String> methods();

    Access access();

    /** A {@link io.kvgate.core.error.GatewayException} in the stage becomes its JSON answer, anything else a 500. */
    CompletionStage<ControlResponse> handle(ControlRequest request);
}
