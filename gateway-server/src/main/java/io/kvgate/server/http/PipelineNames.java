package io.kvgate.server.http;

/** Names of the handlers on a client connection, in the order in which bytes pass them. */
final class PipelineNames {
    static final String DECODER = "decoder";
    static final String CONNECTION = "connection";

    private PipelineNames() {}
}
