package io.kvgate.server.http;

import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.RequestOutcome.Phase;
import io.netty.buffer.ByteBuf;

/**
 * What a request's body goes to, and what is told when its client leaves.
 *
 * <p>Threading: confined to the connection's event loop.
 */
interface Intake {
    /** Takes the bytes over. */
    void onBody(ByteBuf bytes);

    /** The body is whole. */
    void onBodyEnd();

    /** The client has left: everything done for it ends. @return where the request was */
    Phase onClientGone();

    /** The gateway ends: what can't be finished gets this error. Later calls do nothing. */
    default void onCut(GatewayException error) {}

    /** The client reads again after a pause. */
    default void onWritable() {}

    /** The request has ended, whichever way: what is held for it is released. Called once. */
    default void onEnded() {}
}
