package io.kvgate.server.upstream;

import io.netty.buffer.ByteBuf;

/**
 * What a call tells: {@code onHead (onBody | onReadComplete)* onEnd}, or {@code onFailure} at any point. After {@code onEnd},
 * {@code onFailure}, a cancel or a discard nothing more is told.
 *
 * <p>Threading: called on the call's event loop.
 */
public interface UpstreamListener {
    void onHead(UpstreamHead head);

    /** Raw bytes, chunk framing included. The receiver releases them. The head's framing has advanced over them already. */
    void onBody(ByteBuf raw);

    /** All that could be read without waiting has been told: time to flush. */
    void onReadComplete();

    /** The response is whole. Its connection is back in the pool or closed. */
    void onEnd();

    /** The call is over, its connection closed. */
    void onFailure(UpstreamFailure failure);

    /** Receives the payload of the body, chunk framing taken off, just before {@link #onBody} gets the same bytes raw. */
    void onPayload(ByteBuf buf, int from, int length);
}
