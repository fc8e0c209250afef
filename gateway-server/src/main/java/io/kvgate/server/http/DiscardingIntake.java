package io.kvgate.server.http;

import io.kvgate.core.request.RequestOutcome.Phase;
import io.netty.buffer.ByteBuf;

/** Throws away the body of a request that was answered without it. */
final class DiscardingIntake implements Intake {
    static final DiscardingIntake INSTANCE = new DiscardingIntake();

    private DiscardingIntake() {}

    @Override
    public void onBody(ByteBuf bytes) {
        bytes.release();
    }

    @Override
    public void onBodyEnd() {}

    @Override
    public Phase onClientGone() {
        return Phase.BODY;
    }
}
