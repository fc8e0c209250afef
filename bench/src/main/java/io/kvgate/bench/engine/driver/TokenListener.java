package io.kvgate.bench.engine.driver;

import io.kvgate.bench.engine.model.SimulatedRequest;

/** Takes the tokens of one request, on the engine's event loop, at the time they appear. */
@FunctionalInterface
public interface TokenListener {
    void token(SimulatedRequest request, int token, boolean last);
}
